namespace Cinnabar.Keyspace;

/// <summary>A walk over a stripe's keys that its loop makes, in portions, beside its clients'
/// commands.</summary>
public interface IStripeWalk
{
    /// <summary>Whether it is to go on now. Needs no lock.</summary>
    bool IsWanted { get; }

    /// <summary>Makes a portion; the stripe is locked.</summary>
    /// <returns>Whether it is to go on at once.</returns>
    bool Step();
}

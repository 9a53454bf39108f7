namespace Cinnabar.Keyspace.Moving;

/// <summary>Where a <see cref="MovingRound"/> is.</summary>
internal enum MovingPhase
{
    /// <summary>None is under way.</summary>
    Idle,

    /// <summary>The present stripe's arena is to choose slabs.</summary>
    Choosing,

    /// <summary>The present stripe's tables are walked over.</summary>
    Walking,
}

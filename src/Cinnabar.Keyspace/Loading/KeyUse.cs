namespace Cinnabar.Keyspace.Loading;

/// <summary>What a dump says of a key's use; what the policy in force does not go by is ignored.</summary>
/// <param name="IdleSeconds">Seconds since the last use; negative: not known.</param>
/// <param name="Frequency">The LFU count, 0 to 255; negative: not known.</param>
public readonly record struct KeyUse(long IdleSeconds, int Frequency)
{
    /// <summary>Nothing is known: as of a new key.</summary>
    public static KeyUse Unknown => new(-1, -1);
}

namespace Cinnabar.Keyspace.Journaling;

/// <summary>A place in the journal for the bytes of one unit.</summary>
/// <param name="data">Where they go, contiguous.</param>
/// <param name="position">The number of the unit: the order of units is that of their positions.</param>
/// <param name="token">What the journal needs when the claim is published.</param>
public readonly unsafe struct JournalClaim(byte* data, long position, nint token = 0)
{
    /// <summary>Where the bytes go: as many as the unit has.</summary>
    public byte* Data => data;

    /// <summary>The number of the unit: later units have greater ones.</summary>
    public long Position => position;

    /// <summary>The journal's own.</summary>
    public nint Token => token;
}

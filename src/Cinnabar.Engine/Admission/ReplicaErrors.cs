namespace Cinnabar.Engine.Admission;

/// <summary>The errors of what a replica refuses.</summary>
internal static class ReplicaErrors
{
    /// <summary>A client's write.</summary>
    public static ReadOnlySpan<byte> ReadOnly => "READONLY You can't write against a read only replica."u8;

    /// <summary>Anything while the link is down (<c>replica-serve-stale-data no</c>).</summary>
    public static ReadOnlySpan<byte> MasterDown =>
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."u8;
}

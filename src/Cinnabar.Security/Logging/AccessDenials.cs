namespace Cinnabar.Security.Logging;

/// <summary>How often access was denied, for INFO. Any thread may use it.</summary>
public sealed class AccessDenials
{
    private readonly long[] _counts = new long[(int)DenialReason.Certificate + 1];

    /// <summary>Counts a denial.</summary>
    public void Count(DenialReason reason) => Interlocked.Increment(ref _counts[(int)reason]);

    /// <summary>How often access was denied for a reason.</summary>
    public long Of(DenialReason reason) => Interlocked.Read(ref _counts[(int)reason]);

    /// <summary>Starts the counts over.</summary>
    public void Reset()
    {
        for (int reason = 0; reason < _counts.Length; reason++)
            Interlocked.Exchange(ref _counts[reason], 0);
    }
}

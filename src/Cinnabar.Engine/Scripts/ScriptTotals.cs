namespace Cinnabar.Engine.Scripts;

/// <summary>What the runs of a script have cost.</summary>
internal record struct ScriptTotals
{
    /// <summary>Runs that have ended.</summary>
    public long CallCount;

    /// <summary>How long they took, in nanoseconds.</summary>
    public long ElapsedNs;

    /// <summary>How long the longest took, in nanoseconds.</summary>
    public long LongestNs;

    /// <summary>Runs that were taken back, to be made again with all stripes.</summary>
    public long RerunCount;

    /// <summary>The most bytes that a run has had.</summary>
    public long PeakBytes;

    /// <summary>Adds others.</summary>
    public void Add(in ScriptTotals other)
    {
        CallCount += other.CallCount;
        ElapsedNs += other.ElapsedNs;
        LongestNs = Math.Max(LongestNs, other.LongestNs);
        RerunCount += other.RerunCount;
        PeakBytes = Math.Max(PeakBytes, other.PeakBytes);
    }
}

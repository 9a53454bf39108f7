namespace Cinnabar.Resp;

/// <summary>Space reserved for the header of an array whose length is not known yet.</summary>
public readonly unsafe struct DeferredHeader
{
    internal DeferredHeader(byte* start, int segmentIndex)
    {
        Start = start;
        SegmentIndex = segmentIndex;
    }

    internal byte* Start { get; }

    internal int SegmentIndex { get; }
}

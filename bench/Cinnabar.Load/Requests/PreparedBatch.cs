namespace Cinnabar.Load.Requests;

/// <summary>One of <see cref="PreparedBatches"/>.</summary>
/// <param name="data">Its bytes.</param>
/// <param name="size">How many there are.</param>
/// <param name="holes">The numbers that are written anew, in the order in which they are drawn.</param>
/// <param name="end">The place in the round of commands after its last request.</param>
internal sealed unsafe class PreparedBatch(byte* data, int size, BatchHole[] holes, int end)
{
    /// <summary>Its bytes, as long as its owner lives.</summary>
    public byte* Data => data;

    /// <summary>How many bytes it has.</summary>
    public int Size => size;

    /// <summary>The numbers in it, in the order in which they are drawn.</summary>
    public BatchHole[] Holes => holes;

    /// <summary>The place in the round of commands after its last request.</summary>
    public int End => end;
}

namespace Cinnabar.Resp;

/// <summary>The input of one scan: from the command's first byte on.</summary>
internal readonly unsafe struct ScanInput(byte* data, int length)
{
    /// <summary>The command's first byte.</summary>
    internal readonly byte* Data = data;

    /// <summary>Number of bytes.</summary>
    internal readonly int Length = length;
}

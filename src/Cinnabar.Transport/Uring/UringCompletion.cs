namespace Cinnabar.Transport.Uring;

/// <summary>An entry of a completion ring, as the kernel writes it (struct io_uring_cqe).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct UringCompletion
{
    private const uint BufferFlag = 1;
    private const uint MoreFlag = 2;
    private const int BufferShift = 16;

    private readonly ulong _mark;
    private readonly int _result;
    private readonly uint _flags;

    /// <summary>Makes one; for a simulated kernel.</summary>
    public UringCompletion(ulong mark, int result, bool hasMore, int buffer = -1)
    {
        _mark = mark;
        _result = result;
        _flags = (hasMore ? MoreFlag : 0) | (buffer < 0 ? 0 : BufferFlag | ((uint)buffer << BufferShift));
    }

    /// <summary>The mark of its submission.</summary>
    public readonly UringMark Mark => new(_mark);

    /// <summary>The result: a negative one is an error of errno.</summary>
    public readonly int Result => _result;

    /// <summary>Whether the operation goes on: more completions follow.</summary>
    public readonly bool HasMore => (_flags & MoreFlag) != 0;

    /// <summary>The provided buffer that it uses; −1: none.</summary>
    public readonly int Buffer => (_flags & BufferFlag) != 0 ? (int)(_flags >> BufferShift) : -1;
}

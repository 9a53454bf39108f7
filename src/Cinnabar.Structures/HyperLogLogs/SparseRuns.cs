namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>Walks over the runs of a sparse value, which may be corrupt.</summary>
public ref struct SparseRuns
{
    private readonly ReadOnlySpan<byte> _runs;
    private bool _isCut;

    /// <param name="runs">The bytes behind the header.</param>
    internal SparseRuns(ReadOnlySpan<byte> runs) => _runs = runs;

    /// <summary>The runs of a value with a header that is sparse.</summary>
    public static SparseRuns Of(ReadOnlySpan<byte> value) => new(value[HyperLogLog.HeaderSize..]);

    /// <summary>Offset of the current run's first byte.</summary>
    internal int Offset { get; private set; }

    /// <summary>Bytes of the current run: 1 or 2; 0 before the first one.</summary>
    public int Size { get; private set; }

    /// <summary>The first register of the current run.</summary>
    public int First { get; private set; }

    /// <summary>How many registers the current run has.</summary>
    public int Length { get; private set; }

    /// <summary>The value of all of them.</summary>
    public int Value { get; private set; }

    /// <summary>At the end: whether the runs were exactly all registers.</summary>
    public readonly bool IsSound => !_isCut && First + Length == HyperLogLog.RegisterCount;

    /// <summary>Begins a walk in the middle.</summary>
    /// <param name="runs">The bytes behind the header.</param>
    /// <param name="offset">Of the run that the walk begins with.</param>
    /// <param name="first">Its first register.</param>
    internal static SparseRuns From(ReadOnlySpan<byte> runs, int offset, int first) =>
        new(runs) { Offset = offset, First = first };

    /// <summary>Passes the runs that end before a register, so that the next one has it.</summary>
    /// <param name="register">The register.</param>
    /// <param name="lastOffset">Becomes the offset of the last run that was passed, if any was.</param>
    /// <param name="lastFirst">Becomes its first register.</param>
    /// <remarks>What <see cref="MoveNext"/> does, without a branch that depends on a run's kind, except for
    /// long runs of zeroes: the kinds come in no order, and a value has thousands of runs.</remarks>
    internal void PassBefore(int register, ref int lastOffset, ref int lastFirst)
    {
        int offset = Offset + Size;
        int first = First + Length;
        // The last byte is left to MoveNext: it may be the half of a run.
        while (offset < _runs.Length - 1)
        {
            byte head = _runs[offset];
            // 3 for a run of a value, 0x3F for zeroes.
            int length = 1 + (head & (3 | (0x3C & ~((sbyte)head >> 7))));
            int size = 1;
            if (head is >= SparseRegisters.LongZeroRun and < SparseRegisters.ValueRun)
                (length, size) = (1 + ((head & 0x3F) << 8 | _runs[offset + 1]), 2);
            if (first + length > register) break;
            (lastOffset, lastFirst) = (offset, first);
            first += length;
            offset += size;
        }

        (Offset, Size, First, Length) = (offset, 0, first, 0);
    }

    /// <summary>Goes to the next run; false: there is none, or it is corrupt.</summary>
    public bool MoveNext()
    {
        int offset = Offset + Size;
        int first = First + Length;
        if (offset >= _runs.Length) return false;
        byte head = _runs[offset];
        int size = head is >= SparseRegisters.LongZeroRun and < SparseRegisters.ValueRun ? 2 : 1;
        int length = 0;
        if (offset + size <= _runs.Length)
        {
            length = 1 + (head >= SparseRegisters.ValueRun ? head & 3
                : size == 1 ? head
                : (head & 0x3F) << 8 | _runs[offset + 1]);
        }
        _isCut = length == 0 || first + length > HyperLogLog.RegisterCount;
        if (_isCut) return false;
        (Offset, Size, First, Length) = (offset, size, first, length);
        Value = head >= SparseRegisters.ValueRun ? (head >> 2 & 0x1F) + 1 : 0;
        return true;
    }
}

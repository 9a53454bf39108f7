// The longest common subsequence of two strings by dynamic programming, with the walk back.
//
// L(i, j) is the length of the longest common subsequence of the first i bytes of a and the first j bytes of
// b: one more than L(i-1, j-1) where the last bytes agree, else the larger of L(i-1, j) and L(i, j-1). Only
// one row of L is kept, along the shorter string. What the walk back from (a's length, b's length) needs
// besides the strings themselves is one bit for each pair, whether L(i-1, j) is larger than L(i, j-1): where
// bytes agree it takes both, else it steps back in a if that bit is set, else in b. (Several subsequences may
// be longest; this rule finds the one that Redis finds.)
//
// Why not the whole table, as Redis has it: it takes 32 times the memory. Why not Hirschberg's linear space:
// it finds another subsequence. Why not bit-parallel rows: they give L's differences along one string only.
//
// Limits: the product of the lengths, which the command checks; one bit a pair comes from the array pool.
using System.Buffers;

namespace Cinnabar.Commands.Strings;

/// <summary>The longest common subsequence of two strings. Dispose it after use.</summary>
internal ref struct LcsTable
{
    private readonly StringView _a;
    private readonly StringView _b;
    private readonly bool _isAOuter;
    private readonly int _innerLength;
    private ulong[]? _bits;

    /// <summary>Prepares the computation; the strings must stay as they are.</summary>
    public LcsTable(StringView a, StringView b)
    {
        _a = a;
        _b = b;
        _isAOuter = a.Length >= b.Length;
        _innerLength = checked((int)Math.Min(a.Length, b.Length));
    }

    /// <summary>Length of the longest common subsequence in bytes, once it was computed.</summary>
    public int Length { get; private set; }

    /// <summary>How many words of 64 bits the walk back takes.</summary>
    public static long WordCount(long aLength, long bLength) => ((aLength * bLength) >> 6) + 1;

    /// <summary>Computes the length, and what the walk back needs where there will be one.</summary>
    /// <param name="isWalkWanted">Whether there will be one.</param>
    public void Compute(bool isWalkWanted)
    {
        Debug.Assert(_bits is null && Length == 0, "a table is computed once");
        if (isWalkWanted)
        {
            int wordCount = (int)WordCount(_a.Length, _b.Length);
            _bits = ArrayPool<ulong>.Shared.Rent(wordCount);
            _bits.AsSpan(0, wordCount).Clear();
        }

        if (_innerLength == 0)
            return;
        byte[] inner = ArrayPool<byte>.Shared.Rent(_innerLength);
        int[] row = ArrayPool<int>.Shared.Rent(_innerLength);
        try
        {
            Span<byte> innerText = inner.AsSpan(0, _innerLength);
            Span<int> lengths = row.AsSpan(0, _innerLength);
            (_isAOuter ? _b : _a).CopyTo(0, innerText);
            lengths.Clear();
            FillRows(innerText, lengths);
            Length = lengths[^1];
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(inner);
            ArrayPool<int>.Shared.Return(row);
        }
    }

    /// <summary>
    /// Steps back to the next pair of bytes in common; starts at the two lengths.
    /// </summary>
    /// <param name="i">A number of a's bytes, moved to the position of the byte in common.</param>
    /// <param name="j">A number of b's bytes, moved likewise.</param>
    /// <returns>False where there is none any more.</returns>
    public readonly bool TryStepBack(ref long i, ref long j)
    {
        Debug.Assert(i >= 0 && i <= _a.Length && j >= 0 && j <= _b.Length, "a place in the table");
        Debug.Assert(_bits is not null || _innerLength == 0, "computed without the walk back");
        while (i > 0 && j > 0)
        {
            if (_a.SpanAt(i - 1)[0] == _b.SpanAt(j - 1)[0])
            {
                i--;
                j--;
                return true;
            }

            long index = _isAOuter ? ((i - 1) * _innerLength) + j - 1 : ((j - 1) * _innerLength) + i - 1;
            if ((_bits![index >> 6] >> (int)index & 1) != 0)
                i--;
            else
                j--;
        }

        return false;
    }

    /// <summary>Gives the scratch memory back.</summary>
    public void Dispose()
    {
        if (_bits is not null)
            ArrayPool<ulong>.Shared.Return(_bits);
        _bits = null;
    }

    private readonly void FillRows(ReadOnlySpan<byte> inner, Span<int> row)
    {
        StringView outer = _isAOuter ? _a : _b;
        long index = 0;
        for (long offset = 0; offset < outer.Length;)
        {
            ReadOnlySpan<byte> piece = outer.SpanAt(offset);
            foreach (byte value in piece)
            {
                FillRow(value, inner, row, index);
                index += inner.Length;
            }

            offset += piece.Length;
        }
    }

    private readonly void FillRow(byte value, ReadOnlySpan<byte> inner, Span<int> row, long index)
    {
        int diagonal = 0;
        int beside = 0;
        row = row[..inner.Length];
        for (int position = 0; position < inner.Length; position++)
        {
            int above = row[position];
            bool isABack = _isAOuter ? above > beside : beside > above;
            if (isABack && _bits is not null)
                _bits[(index + position) >> 6] |= 1UL << (int)(index + position);
            beside = inner[position] == value ? diagonal + 1 : Math.Max(above, beside);
            row[position] = beside;
            diagonal = above;
        }
    }
}

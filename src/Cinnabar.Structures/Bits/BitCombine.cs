// Combines byte strings bit by bit, as BITOP does.
//
// The result is made in blocks of 4 KiB, each folded over all sources before the next: the block stays in the
// first level cache, so every source is read from memory once and the result written once, however many
// sources there are. Within a block a source is applied piece by piece, because big strings lie in leaves.
// All operators come down to four in-place steps (and, or, exclusive or, and-not) and one with a second
// block:
//
//   AND, OR, XOR:   first, then op each of the others         DIFF:   first, then and-not each of the others
//   ANDOR, DIFF1:   or of the others, at last and (and-not) the first
//   ONE:            once |= source, twice |= once & source;   at last once and-not twice
//
// Where a source has ended it reads as zeroes: the steps with "and" clear the rest of the block, the others
// do nothing. Why not a routine that walks all sources abreast: their pieces end at different places, and
// where the strings are big, memory sets the pace. Vector<byte> is as wide as the machine likes, everywhere.

namespace Cinnabar.Structures.Bits;

/// <summary>BITOP on spans.</summary>
public static class BitCombine
{
    private const int BlockSize = 4096;

    private interface IStep
    {
        static abstract bool ClearsWhereSourceEnded { get; }

        static abstract Vector<byte> Apply(Vector<byte> result, Vector<byte> source);

        static abstract int Apply(int result, int source);
    }

    /// <summary>Computes a part of the result.</summary>
    /// <param name="bitOperator">What to do.</param>
    /// <param name="sources">The operands; must not overlap the destination.</param>
    /// <param name="offset">Where in the result the destination lies, in bytes.</param>
    /// <param name="destination">Is overwritten; its end may lie behind the end of every source.</param>
    public static void Combine<TSources>(
        BitOperator bitOperator, ref TSources sources, long offset, Span<byte> destination)
        where TSources : IBitSources, allows ref struct
    {
        Debug.Assert(sources.Count > 0, "nothing to combine");
        while (destination.Length > 0)
        {
            Span<byte> block = destination[..Math.Min(destination.Length, BlockSize)];
            CombineBlock(bitOperator, ref sources, offset, block);
            destination = destination[block.Length..];
            offset += block.Length;
        }
    }

    private static void CombineBlock<TSources>(
        BitOperator bitOperator, ref TSources sources, long offset, Span<byte> block)
        where TSources : IBitSources, allows ref struct
    {
        switch (bitOperator)
        {
            case BitOperator.And:
                Set(ref sources, 0, offset, block);
                FoldOthers<AndStep, TSources>(ref sources, 1, offset, block);
                break;
            case BitOperator.Or:
                Set(ref sources, 0, offset, block);
                FoldOthers<OrStep, TSources>(ref sources, 1, offset, block);
                break;
            case BitOperator.Xor:
                Set(ref sources, 0, offset, block);
                FoldOthers<XorStep, TSources>(ref sources, 1, offset, block);
                break;
            case BitOperator.Not:
                block.Fill(0xFF);
                Fold<AndNotStep, TSources>(ref sources, 0, offset, block);
                break;
            case BitOperator.Diff:
                Set(ref sources, 0, offset, block);
                FoldOthers<AndNotStep, TSources>(ref sources, 1, offset, block);
                break;
            case BitOperator.Diff1:
                block.Clear();
                FoldOthers<OrStep, TSources>(ref sources, 1, offset, block);
                Fold<AndNotStep, TSources>(ref sources, 0, offset, block);
                break;
            case BitOperator.AndOr:
                block.Clear();
                FoldOthers<OrStep, TSources>(ref sources, 1, offset, block);
                Fold<AndStep, TSources>(ref sources, 0, offset, block);
                break;
            case BitOperator.One:
                FoldOne(ref sources, offset, block);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(bitOperator), bitOperator, "no such operator");
        }
    }

    private static void Set<TSources>(ref TSources sources, int sourceIndex, long offset, Span<byte> block)
        where TSources : IBitSources, allows ref struct
    {
        while (block.Length > 0)
        {
            ReadOnlySpan<byte> piece = PieceAt(ref sources, sourceIndex, offset, block.Length);
            if (piece.IsEmpty)
            {
                block.Clear();
                return;
            }
            piece.CopyTo(block);
            block = block[piece.Length..];
            offset += piece.Length;
        }
    }

    private static void FoldOthers<TStep, TSources>(
        ref TSources sources, int firstIndex, long offset, Span<byte> block)
        where TStep : struct, IStep
        where TSources : IBitSources, allows ref struct
    {
        for (int sourceIndex = firstIndex; sourceIndex < sources.Count; sourceIndex++)
        {
            Fold<TStep, TSources>(ref sources, sourceIndex, offset, block);
        }
    }

    private static void Fold<TStep, TSources>(
        ref TSources sources, int sourceIndex, long offset, Span<byte> block)
        where TStep : struct, IStep
        where TSources : IBitSources, allows ref struct
    {
        while (block.Length > 0)
        {
            ReadOnlySpan<byte> piece = PieceAt(ref sources, sourceIndex, offset, block.Length);
            if (piece.IsEmpty)
            {
                if (TStep.ClearsWhereSourceEnded) block.Clear();
                return;
            }
            Apply<TStep>(block, piece);
            block = block[piece.Length..];
            offset += piece.Length;
        }
    }

    private static void FoldOne<TSources>(ref TSources sources, long offset, Span<byte> block)
        where TSources : IBitSources, allows ref struct
    {
        Span<byte> twiceBlock = stackalloc byte[BlockSize];
        twiceBlock = twiceBlock[..block.Length];
        twiceBlock.Clear();
        block.Clear();
        for (int sourceIndex = 0; sourceIndex < sources.Count; sourceIndex++)
        {
            int done = 0;
            while (done < block.Length)
            {
                int countMax = block.Length - done;
                ReadOnlySpan<byte> piece = PieceAt(ref sources, sourceIndex, offset + done, countMax);
                if (piece.IsEmpty) break;
                ApplyOne(block.Slice(done, piece.Length), twiceBlock.Slice(done, piece.Length), piece);
                done += piece.Length;
            }
        }
        Apply<AndNotStep>(block, twiceBlock);
    }

    private static ReadOnlySpan<byte> PieceAt<TSources>(
        ref TSources sources, int sourceIndex, long offset, int countMax)
        where TSources : IBitSources, allows ref struct
    {
        ReadOnlySpan<byte> piece = sources.SpanAt(sourceIndex, offset);
        return piece.Length <= countMax ? piece : piece[..countMax];
    }

    // SAFETY, both: index + Vector<byte>.Count is at most source.Length, and the others are at least as long.
    private static void Apply<TStep>(Span<byte> result, ReadOnlySpan<byte> source)
        where TStep : struct, IStep
    {
        ref byte to = ref MemoryMarshal.GetReference(result[..source.Length]);
        ref byte from = ref MemoryMarshal.GetReference(source);
        int index = 0;
        for (; index <= source.Length - Vector<byte>.Count; index += Vector<byte>.Count)
        {
            Vector<byte> old = Vector.LoadUnsafe(ref to, (nuint)index);
            TStep.Apply(old, Vector.LoadUnsafe(ref from, (nuint)index)).StoreUnsafe(ref to, (nuint)index);
        }
        for (; index < source.Length; index++)
        {
            result[index] = (byte)TStep.Apply(result[index], source[index]);
        }
    }

    private static void ApplyOne(Span<byte> once, Span<byte> twice, ReadOnlySpan<byte> source)
    {
        ref byte onceAt = ref MemoryMarshal.GetReference(once[..source.Length]);
        ref byte twiceAt = ref MemoryMarshal.GetReference(twice[..source.Length]);
        ref byte from = ref MemoryMarshal.GetReference(source);
        int index = 0;
        for (; index <= source.Length - Vector<byte>.Count; index += Vector<byte>.Count)
        {
            Vector<byte> added = Vector.LoadUnsafe(ref from, (nuint)index);
            Vector<byte> seen = Vector.LoadUnsafe(ref onceAt, (nuint)index);
            Vector<byte> repeated = Vector.LoadUnsafe(ref twiceAt, (nuint)index);
            (repeated | (seen & added)).StoreUnsafe(ref twiceAt, (nuint)index);
            (seen | added).StoreUnsafe(ref onceAt, (nuint)index);
        }
        for (; index < source.Length; index++)
        {
            twice[index] |= (byte)(once[index] & source[index]);
            once[index] |= source[index];
        }
    }

    private readonly struct AndStep : IStep
    {
        public static bool ClearsWhereSourceEnded => true;

        public static Vector<byte> Apply(Vector<byte> result, Vector<byte> source) => result & source;

        public static int Apply(int result, int source) => result & source;
    }

    private readonly struct OrStep : IStep
    {
        public static bool ClearsWhereSourceEnded => false;

        public static Vector<byte> Apply(Vector<byte> result, Vector<byte> source) => result | source;

        public static int Apply(int result, int source) => result | source;
    }

    private readonly struct XorStep : IStep
    {
        public static bool ClearsWhereSourceEnded => false;

        public static Vector<byte> Apply(Vector<byte> result, Vector<byte> source) => result ^ source;

        public static int Apply(int result, int source) => result ^ source;
    }

    private readonly struct AndNotStep : IStep
    {
        public static bool ClearsWhereSourceEnded => false;

        public static Vector<byte> Apply(Vector<byte> result, Vector<byte> source) =>
            Vector.AndNot(result, source);

        public static int Apply(int result, int source) => result & ~source;
    }
}

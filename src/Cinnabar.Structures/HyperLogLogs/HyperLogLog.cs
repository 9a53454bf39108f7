// HyperLogLog: how many different elements were seen, in 12 KiB and with a standard error of 0.81 %, as a
// string in Redis's own format. PFADD works on what Redis wrote, and the reverse.
//
// The idea. Each element is hashed. 14 bits of the hash choose one of 16,384 registers; the number of zero
// bits at the end of the rest, plus one, is a rank that half of all elements have 1, a quarter 2, and so on.
// A register keeps the largest rank that it met. Few elements leave small ranks, many leave large ones, and
// the same element twice changes nothing.
//
//      0      4          5        8                      16
//      +------+----------+--------+----------------------+- - - - - - - - - - - - - - - - -
//      | HYLL | encoding | zeroes | count, or bit 63 set | registers
//      +------+----------+--------+----------------------+- - - - - - - - - - - - - - - - -
//
//      encoding 0, dense: 16,384 registers of 6 bits, the low bits of a byte first; 12,304 bytes in all.
//      encoding 1, sparse: runs of equal registers, which together are 16,384 registers:
//          00llllll              l + 1 registers that are 0            (1 to 64)
//          01llllll llllllll     l + 1 registers that are 0            (1 to 16,384)
//          1vvvvvll              l + 1 registers that are v + 1        (1 to 4; values 1 to 32)
//
// The count is the estimate when it was last computed; bit 63 says that registers changed since.
//
// The estimate is Ertl's, which needs no table of corrections and no ranges: HyperLogLogEstimate. It depends
// only on how often each rank occurs (RegisterHistogram), so registers are counted, 32 at a time.
//
// Sparse values grow one run at a time (HyperLogLogEditor) until a rank exceeds 32 or the string
// hll-sparse-max-bytes; the same additions leave the same bytes as in redis-server.
//
// Untrusted bytes. A string with our header may have been SET by any client. HasHeader is Redis's first
// check; a walk of sparse runs checks them, and reports when they are corrupt. A dense one of the right
// length cannot be.
//
// Why not the simpler thing: a set of hashes is exact, but grows. Limits: estimates end at 2^63. Sources:
// P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, "HyperLogLog", 2007; S. Heule, M. Nunkesser, A. Hall,
// "HyperLogLog in practice", 2013 (64 bits, sparse); O. Ertl, "New cardinality estimation algorithms for
// HyperLogLog sketches", 2017. The format: what redis-server writes, compared in tests/Differential.
using System.Buffers.Binary;

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>The string of a HyperLogLog as a whole.</summary>
public static class HyperLogLog
{
    /// <summary>How many registers there are.</summary>
    public const int RegisterCount = 1 << RegisterBits;

    /// <summary>Bytes of a dense value.</summary>
    public const int DenseSize = HeaderSize + DenseRegisters.Size;

    /// <summary>Bytes of a sparse value to which nothing was added.</summary>
    public const int EmptySize = HeaderSize + 2;

    /// <summary>The most bytes of a sparse value that is sound: runs of a register and two bytes
    /// each.</summary>
    public const int SparseSizeMax = HeaderSize + 2 * RegisterCount;

    /// <summary>Bytes of the header.</summary>
    public const int HeaderSize = 16;

    internal const int RegisterBits = 14;
    private const int EncodingOffset = 4;
    private const int CountOffset = 8;
    private const ulong StaleBit = 1UL << 63;
    private const byte Dense = 0;
    private const byte Sparse = 1;

    /// <summary>Writes a sparse value to which nothing was added; its count, 0, is known.</summary>
    /// <param name="value">At least <see cref="EmptySize"/> bytes.</param>
    public static void WriteEmpty(Span<byte> value)
    {
        WriteHeader(value, Sparse);
        SparseRegisters.WriteZeroes(value[HeaderSize..], RegisterCount);
    }

    /// <summary>Whether this is a HyperLogLog by its header and, if it is dense, its length.</summary>
    public static bool HasHeader(ReadOnlySpan<byte> value)
    {
        if (value.Length < HeaderSize || !value.StartsWith("HYLL"u8)) return false;
        return value[EncodingOffset] == Sparse || IsDense(value) && value.Length == DenseSize;
    }

    /// <summary>Whether a value with a header is dense; it is sparse otherwise.</summary>
    public static bool IsDense(ReadOnlySpan<byte> value) => value[EncodingOffset] == Dense;

    /// <summary>The count that is kept in the header; false: registers changed since it was
    /// computed.</summary>
    public static bool TryGetKnownCount(ReadOnlySpan<byte> value, out ulong count)
    {
        count = BinaryPrimitives.ReadUInt64LittleEndian(value[CountOffset..]);
        return (count & StaleBit) == 0;
    }

    /// <summary>Keeps a count in the header; 2^63 cannot be kept, and stays unknown.</summary>
    public static void SetKnownCount(Span<byte> value, ulong count) =>
        BinaryPrimitives.WriteUInt64LittleEndian(value[CountOffset..], count);

    /// <summary>Says in the header that the count has to be computed again.</summary>
    public static void ForgetCount(Span<byte> value) => value[HeaderSize - 1] |= (byte)(StaleBit >> 56);

    /// <summary>Estimates how many different elements were added, from the registers.</summary>
    /// <param name="value">With a header.</param>
    /// <param name="count">The estimate.</param>
    /// <returns>False: the value is corrupt.</returns>
    public static bool TryCount(ReadOnlySpan<byte> value, out ulong count)
    {
        Span<int> histogram = stackalloc int[RegisterHistogram.Length];
        histogram.Clear();
        count = 0;
        if (IsDense(value))
            DenseRegisters.CountInto(value[HeaderSize..], histogram);
        else if (!SparseRegisters.CountInto(value[HeaderSize..], histogram))
            return false;
        count = HyperLogLogEstimate.FromHistogram(histogram);
        return true;
    }

    /// <summary>Writes a sparse value as a dense one, with the same count in its header.</summary>
    /// <param name="sparse">With a header.</param>
    /// <param name="dense">At least <see cref="DenseSize"/> bytes, elsewhere.</param>
    /// <returns>False: the value is corrupt; what was written then is of no use.</returns>
    public static bool TryWriteDense(ReadOnlySpan<byte> sparse, Span<byte> dense)
    {
        // With the contents of the unused bytes, as in redis-server.
        sparse[..HeaderSize].CopyTo(dense);
        dense[EncodingOffset] = Dense;
        Span<byte> registers = dense[HeaderSize..DenseSize];
        registers.Clear();
        var runs = new SparseRuns(sparse[HeaderSize..]);
        while (runs.MoveNext())
        {
            if (runs.Value == 0) continue;
            for (int index = runs.First; index < runs.First + runs.Length; index++)
                DenseRegisters.Set(registers, index, runs.Value);
        }
        return runs.IsSound;
    }

    /// <summary>Writes the header of a dense value whose registers follow.</summary>
    internal static void WriteDenseHeader(Span<byte> value) => WriteHeader(value, Dense);

    private static void WriteHeader(Span<byte> value, byte encoding)
    {
        value[..HeaderSize].Clear();
        "HYLL"u8.CopyTo(value);
        value[EncodingOffset] = encoding;
    }
}

namespace Cinnabar.Structures.Hashing;

/// <summary>
/// XXH3 of an input of more than <see cref="XxHash3.ShortLengthMax"/> bytes, in pieces. All whole stripes but
/// the last are added, then the last 64 bytes finish it, which may overlap the last stripe added. After each
/// 16 stripes the accumulators are scrambled.
/// </summary>
public struct XxHash3Stripes
{
    /// <summary>Bytes in a stripe.</summary>
    public const int StripeSize = 64;

    private const int LaneCount = 8;
    private const int StripesPerBlock = 16;
    private const int ScrambleSecretOffset = 128;
    private const int LastSecretOffset = 121;
    private const int MergeSecretOffset = 11;

    private readonly long _length;
    private Lanes _lanes;
    private int _stripeInBlock;

    /// <summary>Starts the hash of an input of that many bytes.</summary>
    public XxHash3Stripes(long length)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(length, XxHash3.ShortLengthMax);
        _length = length;
        CountLeft = (length - 1) / StripeSize;
        _lanes[0] = XxHash3.Prime32Third;
        _lanes[1] = XxHash3.Prime64First;
        _lanes[2] = XxHash3.Prime64Second;
        _lanes[3] = XxHash3.Prime64Third;
        _lanes[4] = XxHash3.Prime64Fourth;
        _lanes[5] = XxHash3.Prime32Second;
        _lanes[6] = XxHash3.Prime64Fifth;
        _lanes[7] = XxHash3.Prime32First;
    }

    /// <summary>How many stripes must still be added before <see cref="Finish"/>.</summary>
    public long CountLeft { get; private set; }

    /// <summary>Adds the next stripes.</summary>
    /// <param name="stripes">A multiple of 64 bytes, at most <see cref="CountLeft"/> stripes.</param>
    public void Add(ReadOnlySpan<byte> stripes)
    {
        int count = stripes.Length / StripeSize;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, CountLeft);
        CountLeft -= count;
        for (; !stripes.IsEmpty; stripes = stripes[StripeSize..])
        {
            int secretOffset = _stripeInBlock * sizeof(ulong);
            Accumulate(ref _lanes, stripes[..StripeSize], XxHash3.Secret.Slice(secretOffset, StripeSize));
            if (++_stripeInBlock < StripesPerBlock)
                continue;
            _stripeInBlock = 0;
            Scramble();
        }
    }

    /// <summary>Adds the last 64 bytes of the input and returns the hash.</summary>
    public ulong Finish(ReadOnlySpan<byte> last)
    {
        if (CountLeft != 0)
            throw new InvalidOperationException("XXH3 was finished before all stripes were added.");
        Accumulate(ref _lanes, last[..StripeSize], XxHash3.Secret.Slice(LastSecretOffset, StripeSize));
        ulong sum = (ulong)_length * XxHash3.Prime64First;
        for (int lane = 0; lane < LaneCount; lane += 2)
        {
            int offset = MergeSecretOffset + (lane * sizeof(ulong));
            ulong even = _lanes[lane] ^ XxHash3.SecretAt(offset);
            ulong odd = _lanes[lane + 1] ^ XxHash3.SecretAt(offset + sizeof(ulong));
            sum += XxHash3.Fold(even, odd);
        }

        return XxHash3.Avalanche(sum);
    }

    private static void Accumulate(ref Lanes lanes, ReadOnlySpan<byte> stripe, ReadOnlySpan<byte> secret)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(stripe)[..LaneCount];
        ReadOnlySpan<ulong> keys = MemoryMarshal.Cast<byte, ulong>(secret)[..LaneCount];
        Span<ulong> sums = lanes;
        for (int lane = 0; lane < LaneCount; lane++)
        {
            ulong word = words[lane];
            ulong key = word ^ keys[lane];
            sums[lane ^ 1] += word;
            sums[lane] += (uint)key * (key >> 32);
        }
    }

    private void Scramble()
    {
        for (int lane = 0; lane < LaneCount; lane++)
        {
            ulong value = _lanes[lane];
            value ^= value >> 47;
            value ^= XxHash3.SecretAt(ScrambleSecretOffset + (lane * sizeof(ulong)));
            _lanes[lane] = value * XxHash3.Prime32First;
        }
    }

    [InlineArray(LaneCount)]
    private struct Lanes
    {
        private ulong _first;
    }
}

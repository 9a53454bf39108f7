// The frame that SHA-1 and SHA-256 share (FIPS 180-4): the text in blocks of 64 bytes, ended by a bit, zeros
// and the length in bits. Both are written here because the framework needs OpenSSL on Linux: a server that
// is one binary would end with the first password on a machine without it, and grow by megabytes elsewhere.
using System.Buffers.Binary;

namespace Cinnabar.Structures.Hashing;

/// <summary>A hash of a text that comes in pieces. A struct with its whole state: never copy one in
/// use.</summary>
public struct BlockHash
{
    /// <summary>The length of a SHA-1 hash, in bytes.</summary>
    public const int Sha1Size = 20;

    /// <summary>The length of a SHA-256 hash, in bytes.</summary>
    public const int Sha256Size = 32;

    private const int BlockSize = 64;
    private const int LengthPlace = BlockSize - sizeof(ulong);

    private readonly bool _isSha256;
    private State _state;
    private Block _block;
    private ulong _length;

    private BlockHash(bool isSha256, ReadOnlySpan<uint> start)
    {
        _isSha256 = isSha256;
        start.CopyTo(_state);
    }

    private static ReadOnlySpan<uint> RoundKeys =>
    [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];

    /// <summary>A SHA-1 of nothing yet.</summary>
    public static BlockHash Sha1() =>
        new(false, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);

    /// <summary>A SHA-256 of nothing yet.</summary>
    public static BlockHash Sha256() => new(true,
        [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);

    /// <summary>Writes the SHA-1 of a text, which may lie where the hash goes.</summary>
    public static void Sha1(ReadOnlySpan<byte> text, Span<byte> hash)
    {
        BlockHash all = Sha1();
        all.Append(text);
        all.Finish(hash);
    }

    /// <summary>Writes the SHA-256 of a text.</summary>
    public static void Sha256(ReadOnlySpan<byte> text, Span<byte> hash)
    {
        BlockHash all = Sha256();
        all.Append(text);
        all.Finish(hash);
    }

    /// <summary>Adds a piece of the text.</summary>
    public void Append(ReadOnlySpan<byte> text)
    {
        int used = (int)(_length % BlockSize);
        _length += (ulong)text.Length;
        while (used + text.Length >= BlockSize)
        {
            int count = BlockSize - used;
            text[..count].CopyTo(_block[used..]);
            Mix();
            text = text[count..];
            used = 0;
        }

        text.CopyTo(_block[used..]);
    }

    /// <summary>Ends the text and writes its hash; nothing may be appended after that.</summary>
    /// <param name="hash">As long as the hash.</param>
    public void Finish(Span<byte> hash)
    {
        ulong bitCount = _length * 8;
        int used = (int)(_length % BlockSize);
        Span<byte> end = stackalloc byte[BlockSize * 2];
        end.Clear();
        end[0] = 0x80;
        int zeros = (used < LengthPlace ? LengthPlace : LengthPlace + BlockSize) - used;
        BinaryPrimitives.WriteUInt64BigEndian(end[zeros..], bitCount);
        Append(end[..(zeros + sizeof(ulong))]);
        for (int index = 0; index < hash.Length / sizeof(uint); index++)
            BinaryPrimitives.WriteUInt32BigEndian(hash[(index * sizeof(uint))..], _state[index]);
    }

    private void Mix()
    {
        Span<uint> words = stackalloc uint[BlockSize];
        for (int index = 0; index < 16; index++)
            words[index] = BinaryPrimitives.ReadUInt32BigEndian(_block[(index * sizeof(uint))..]);
        if (_isSha256)
            MixSha256(words);
        else
            MixSha1(words);
    }

    private void MixSha1(Span<uint> words)
    {
        (uint a, uint b, uint c, uint d, uint e) = (_state[0], _state[1], _state[2], _state[3], _state[4]);
        for (int round = 0; round < 80; round++)
        {
            // A round looks sixteen words back at most: the words go round in a ring.
            ref uint word = ref words[round % 16];
            if (round >= 16)
            {
                word = BitOperations.RotateLeft(words[(round + 13) % 16] ^ words[(round + 8) % 16]
                    ^ words[(round + 2) % 16] ^ word, 1);
            }

            (uint mixed, uint key) = (round / 20) switch
            {
                0 => ((b & c) | (~b & d), 0x5a827999u),
                1 => (b ^ c ^ d, 0x6ed9eba1u),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdcu),
                _ => (b ^ c ^ d, 0xca62c1d6u),
            };
            uint next = BitOperations.RotateLeft(a, 5) + mixed + e + key + word;
            (e, d, c, b, a) = (d, c, BitOperations.RotateLeft(b, 30), a, next);
        }

        ReadOnlySpan<uint> added = [a, b, c, d, e];
        Add(added);
    }

    private void MixSha256(Span<uint> words)
    {
        for (int index = 16; index < BlockSize; index++)
        {
            uint before = words[index - 15];
            uint last = words[index - 2];
            words[index] = words[index - 16] + words[index - 7]
                + (BitOperations.RotateRight(before, 7) ^ BitOperations.RotateRight(before, 18)
                    ^ (before >> 3))
                + (BitOperations.RotateRight(last, 17) ^ BitOperations.RotateRight(last, 19) ^ (last >> 10));
        }

        (uint a, uint b, uint c, uint d) = (_state[0], _state[1], _state[2], _state[3]);
        (uint e, uint f, uint g, uint h) = (_state[4], _state[5], _state[6], _state[7]);
        for (int round = 0; round < BlockSize; round++)
        {
            uint first = h + RoundKeys[round] + words[round] + ((e & f) ^ (~e & g))
                + (BitOperations.RotateRight(e, 6) ^ BitOperations.RotateRight(e, 11)
                    ^ BitOperations.RotateRight(e, 25));
            uint second = ((a & b) ^ (a & c) ^ (b & c))
                + (BitOperations.RotateRight(a, 2) ^ BitOperations.RotateRight(a, 13)
                    ^ BitOperations.RotateRight(a, 22));
            (h, g, f, e) = (g, f, e, d + first);
            (d, c, b, a) = (c, b, a, first + second);
        }

        ReadOnlySpan<uint> added = [a, b, c, d, e, f, g, h];
        Add(added);
    }

    private void Add(ReadOnlySpan<uint> added)
    {
        for (int index = 0; index < added.Length; index++)
            _state[index] += added[index];
    }

    [InlineArray(8)]
    private struct State
    {
        private uint _first;
    }

    [InlineArray(BlockSize)]
    private struct Block
    {
        private byte _first;
    }
}

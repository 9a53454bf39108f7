using System;
using System.Runtime.InteropServices;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Bytes as a key, copied only when the dictionary keeps them.</summary>
internal readonly ref struct ByteProbe(ReadOnlySpan<byte> key) : IProbe<byte[]>
{
    private readonly ReadOnlySpan<byte> _key = key;

    /// <summary>The framework's seeded hash of strings, over pairs of bytes; an odd last byte is mixed in,
    /// which gives a client at most two keys of one hash.</summary>
    public uint Hash
    {
        get
        {
            uint hash = (uint)string.GetHashCode(MemoryMarshal.Cast<byte, char>(_key));
            return (_key.Length & 1) == 0 ? hash : (hash ^ _key[^1]) * 0x9E3779B1;
        }
    }

    public bool Matches(byte[] other) => _key.SequenceEqual(other);

    public byte[] ToKey() => _key.ToArray();
}

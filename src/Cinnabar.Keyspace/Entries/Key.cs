using Cinnabar.Resp;

namespace Cinnabar.Keyspace.Entries;

/// <summary>A key as an execution names it: its bytes, borrowed from the arguments, and its 64-bit
/// hash.</summary>
public readonly unsafe ref struct Key
{
    private readonly byte* _data;
    private readonly int _length;

    /// <summary>Names the key in <paramref name="argument"/>, whose hash has been filled in.</summary>
    public Key(in Argument argument)
    {
        _data = argument.Data;
        _length = argument.Length;
        Hash = argument.Hash;
    }

    /// <summary>Names the key of these bytes; they must stay in place as long as the key is used.</summary>
    public Key(byte* data, int length, ulong hash)
    {
        _data = data;
        _length = length;
        Hash = hash;
    }

    /// <summary>SipHash-1-3 of the bytes under the key space's seed.</summary>
    public ulong Hash { get; }

    /// <summary>The bytes.</summary>
    // SAFETY: the argument that the key was made of outlives it (an execution owns its arguments).
    public ReadOnlySpan<byte> Span => new(_data, _length);

    /// <summary>Length in bytes.</summary>
    public int Length => _length;
}

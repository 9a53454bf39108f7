using System.Buffers;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Engine.Scripts;

/// <summary>The SHA-1 of a script's text, by which clients name it.</summary>
internal readonly record struct ScriptDigest
{
    /// <summary>Characters of its text.</summary>
    public const int TextLength = 2 * BlockHash.Sha1Size;

    private readonly ulong _first;
    private readonly ulong _second;
    private readonly uint _third;

    private ScriptDigest(ReadOnlySpan<byte> hash)
    {
        Debug.Assert(hash.Length == BlockHash.Sha1Size, "a SHA-1 has 20 bytes");
        _first = MemoryMarshal.Read<ulong>(hash);
        _second = MemoryMarshal.Read<ulong>(hash[8..]);
        _third = MemoryMarshal.Read<uint>(hash[16..]);
    }

    /// <summary>Of a script.</summary>
    public static ScriptDigest Of(ReadOnlySpan<byte> source)
    {
        Span<byte> hash = stackalloc byte[BlockHash.Sha1Size];
        BlockHash.Sha1(source, hash);
        return new ScriptDigest(hash);
    }

    /// <summary>Reads a text of hexadecimal digits, in any case.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out ScriptDigest digest)
    {
        Span<byte> hash = stackalloc byte[BlockHash.Sha1Size];
        digest = default;
        if (text.Length != TextLength
            || Convert.FromHexString(text, hash, out _, out _) != OperationStatus.Done)
            return false;
        digest = new ScriptDigest(hash);
        return true;
    }

    /// <summary>Forty hexadecimal digits.</summary>
    public override string ToString()
    {
        Span<byte> hash = stackalloc byte[BlockHash.Sha1Size];
        MemoryMarshal.Write(hash, in _first);
        MemoryMarshal.Write(hash[8..], in _second);
        MemoryMarshal.Write(hash[16..], in _third);
        return Convert.ToHexStringLower(hash);
    }

    /// <summary>The bytes of a hash are evenly spread: any of them will do.</summary>
    public override int GetHashCode() => (int)_first;
}

using System.Runtime.InteropServices;

namespace Cinnabar.Lua.Values;

/// <summary>A string of Lua: bytes that do not change, of any encoding. Its hash is made when it is first
/// needed; equal strings may be different objects.</summary>
public sealed class LuaString : IEquatable<LuaString>, IComparable<LuaString>
{
    /// <summary>Bytes of this object and its array beside the content.</summary>
    internal const int Overhead = 56;

    /// <summary>The walk that last reached this string; see <see cref="LuaBudget"/>.</summary>
    internal int Mark;

    // Equal strings that were compared share their bytes, where these are many: comparing them again costs
    // nothing. Any thread may set it, to bytes that are the same.
    private byte[] _bytes;
    private int _hash;

    private LuaString(byte[] bytes) => _bytes = bytes;

    /// <summary>The string without bytes.</summary>
    public static LuaString Empty { get; } = new([]);

    /// <summary>The content.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Number of bytes.</summary>
    public int Length => _bytes.Length;

    /// <summary>A hash of the content, never 0.</summary>
    internal int Hash => _hash != 0 ? _hash : MakeHash();

    /// <summary>A copy of bytes.</summary>
    public static LuaString From(ReadOnlySpan<byte> bytes) => bytes.IsEmpty ? Empty : new(bytes.ToArray());

    /// <summary>A text in UTF-8.</summary>
    public static LuaString From(string text) => Adopt(Encoding.UTF8.GetBytes(text));

    /// <summary>Takes an array that the caller will not change any more.</summary>
    public static LuaString Adopt(byte[] bytes) => new(bytes);

    /// <inheritdoc/>
    public bool Equals(LuaString? other) => (object?)this == other
        || (other is not null && Hash == other.Hash && HasBytesOf(other));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as LuaString);

    /// <inheritdoc/>
    public override int GetHashCode() => Hash;

    /// <summary>Compares the bytes, as <c>&lt;</c> does in the C locale.</summary>
    public int CompareTo(LuaString? other) => other is null ? 1 : Bytes.SequenceCompareTo(other.Bytes);

    /// <summary>The content read as UTF-8.</summary>
    public override string ToString() => Encoding.UTF8.GetString(_bytes);

    /// <summary>Whether the content is that of another string.</summary>
    internal bool HasBytesOf(LuaString other)
    {
        const int sharedLengthMin = 256;
        byte[] own = _bytes;
        byte[] others = other._bytes;
        if (own == others) return true;
        if (!own.AsSpan().SequenceEqual(others)) return false;
        if (own.Length >= sharedLengthMin) other._bytes = own;
        return true;
    }

    // Eight bytes at a time. Long strings are hashed whole, because a hash of samples lets a script make
    // strings that all collide.
    private int MakeHash()
    {
        ReadOnlySpan<byte> rest = _bytes;
        ulong state = HashSecret.Fold((ulong)rest.Length);
        while (rest.Length >= 8)
        {
            state = HashSecret.Fold(state ^ MemoryMarshal.Read<ulong>(rest));
            rest = rest[8..];
        }

        ulong last = 0;
        for (int index = 0; index < rest.Length; index++)
            last |= (ulong)rest[index] << (8 * index);
        int hash = (int)HashSecret.FoldTwice(state ^ last);
        return _hash = hash == 0 ? 1 : hash;
    }
}

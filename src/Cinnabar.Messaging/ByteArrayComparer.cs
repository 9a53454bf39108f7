namespace Cinnabar.Messaging;

/// <summary>Byte strings as keys of managed collections; spans look up without an allocation.</summary>
public sealed class ByteArrayComparer : IEqualityComparer<byte[]>,
    IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
{
    private ByteArrayComparer()
    {
    }

    /// <summary>The comparer.</summary>
    public static ByteArrayComparer Instance { get; } = new();

    /// <inheritdoc/>
    public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

    /// <inheritdoc/>
    public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    /// <inheritdoc/>
    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        var hash = default(HashCode);
        hash.AddBytes(alternate);
        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
}

using Ascii = System.Text.Ascii;

namespace Cinnabar.Engine.Scripts;

/// <summary>Compares names of functions, in any case; also with the bytes that a client sends.</summary>
internal sealed class FunctionNames : IEqualityComparer<string>,
    IAlternateEqualityComparer<ReadOnlySpan<byte>, string>
{
    private const int Factor = 31;

    /// <inheritdoc/>
    public bool Equals(string? left, string? right) =>
        string.Equals(left, right, StringComparison.OrdinalIgnoreCase);

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> alternate, string other) =>
        Ascii.EqualsIgnoreCase(alternate, other);

    /// <inheritdoc/>
    public int GetHashCode(string name)
    {
        int hash = 0;
        foreach (char letter in name)
            hash = (hash * Factor) + (letter | 0x20);
        return hash;
    }

    /// <inheritdoc/>
    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        int hash = 0;
        foreach (byte letter in alternate)
            hash = (hash * Factor) + (letter | 0x20);
        return hash;
    }

    /// <inheritdoc/>
    public string Create(ReadOnlySpan<byte> alternate) => Encoding.Latin1.GetString(alternate);
}

using System.Security.Cryptography;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Security.Users;

/// <summary>The SHA-256 of a password, as Redis keeps it: without salt.</summary>
public sealed class PasswordHash
{
    private const int HexLength = 2 * BlockHash.Sha256Size;
    private readonly byte[] _hash;

    private PasswordHash(byte[] hash) => _hash = hash;

    /// <summary>The hash of a password.</summary>
    public static PasswordHash Of(ReadOnlySpan<byte> password)
    {
        var hash = new byte[BlockHash.Sha256Size];
        BlockHash.Sha256(password, hash);
        return new PasswordHash(hash);
    }

    /// <summary>Reads 64 digits in lower case; null: it is something else.</summary>
    public static PasswordHash? Parse(string text) =>
        text.Length == HexLength && text.AsSpan().IndexOfAnyExcept("0123456789abcdef") < 0
            ? new PasswordHash(Convert.FromHexString(text))
            : null;

    /// <summary>Whether both are of one password; takes the same time whatever the answer.</summary>
    public bool Matches(PasswordHash other) => CryptographicOperations.FixedTimeEquals(_hash, other._hash);

    /// <summary>The 64 digits.</summary>
    public override string ToString() => Convert.ToHexStringLower(_hash);
}

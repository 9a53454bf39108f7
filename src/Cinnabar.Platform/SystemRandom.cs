using System.IO;
using System.Security.Cryptography;

namespace Cinnabar.Platform;

/// <summary>
/// The system's cryptographic random source. On Unix it is asked directly: the framework's own class loads
/// OpenSSL for it, which takes megabytes and milliseconds of every start, and ends a process where there is
/// none.
/// </summary>
public static unsafe class SystemRandom
{
    // The most that the system gives at once.
    private const int PieceMax = 256;

    /// <summary>Fills bytes.</summary>
    /// <exception cref="IOException">The system has no random bytes.</exception>
    public static void Fill(Span<byte> bytes)
    {
        if (OperatingSystem.IsWindows())
        {
            RandomNumberGenerator.Fill(bytes);
            return;
        }

        while (!bytes.IsEmpty)
        {
            Span<byte> piece = bytes[..Math.Min(bytes.Length, PieceMax)];
            // SAFETY: the call writes as many bytes as it is told, into a pinned span of that length.
            fixed (byte* place = piece)
            {
                if (LibC.GetEntropy(place, (nuint)piece.Length) != 0)
                    throw new IOException("getentropy failed");
            }

            bytes = bytes[piece.Length..];
        }
    }
}

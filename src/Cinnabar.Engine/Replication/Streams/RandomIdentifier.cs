using Cinnabar.Platform;

namespace Cinnabar.Engine.Replication.Streams;

/// <summary>Forty random hexadecimal digits: the identifier of a run or of a history.</summary>
internal static class RandomIdentifier
{
    private const int ByteCount = 20;

    /// <summary>A new one.</summary>
    public static string New()
    {
        Span<byte> bytes = stackalloc byte[ByteCount];
        SystemRandom.Fill(bytes);
        return Convert.ToHexStringLower(bytes);
    }
}

using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Syntax;

/// <summary>How messages name a chunk: "=name" and "@file" without the first character; a source text as
/// [string "first line..."].</summary>
internal static class ChunkName
{
    /// <summary>Bytes in messages of the compiler, with the end.</summary>
    public const int SizeInSyntaxErrors = 80;

    /// <summary>Bytes in messages of running code, with the end.</summary>
    public const int SizeInErrors = 60;

    private const int SizeOfQuote = 17;
    private const int SizeOfDots = 8;

    /// <summary>The name as messages show it.</summary>
    public static string Shown(LuaString name, int size)
    {
        ReadOnlySpan<byte> bytes = name.Bytes;
        if (bytes.Length > 0 && bytes[0] == '=')
            return Encoding.UTF8.GetString(bytes.Slice(1, Math.Min(bytes.Length, size) - 1));
        if (bytes.Length > 0 && bytes[0] == '@')
        {
            bytes = bytes[1..];
            int room = size - SizeOfDots;
            return bytes.Length <= room ? Encoding.UTF8.GetString(bytes)
                : "..." + Encoding.UTF8.GetString(bytes[^room..]);
        }

        int end = bytes.IndexOfAny((byte)'\n', (byte)'\r', (byte)0);
        int length = Math.Min(end < 0 ? bytes.Length : end, size - SizeOfQuote);
        string text = Encoding.UTF8.GetString(bytes[..length]);
        bool isCut = length < bytes.Length && bytes[length] != 0;
        return $"[string \"{text}{(isCut ? "..." : "")}\"]";
    }
}

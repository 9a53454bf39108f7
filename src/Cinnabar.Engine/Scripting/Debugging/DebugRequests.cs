using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>Reads a debugging client's commands: arrays of bulk strings, within bounds of their
/// own.</summary>
internal sealed class DebugRequests(DebugChannel channel)
{
    private const int WordCountMax = 1024;
    private const int WordLengthMax = 1024;
    private const int RequestLengthMax = 1 << 20;

    // Digits of a length, its sign and the end of its line.
    private const int LineLengthMax = 32;

    private readonly DebugChannel _channel = channel;
    private readonly List<byte> _input = [];

    /// <summary>Waits for the next command.</summary>
    /// <param name="words">Its words, one character a byte.</param>
    public DebugRequestOutcome Next(out string[] words)
    {
        while (true)
        {
            ReadOnlySpan<byte> input = CollectionsMarshal.AsSpan(_input);
            int length = Parse(input, out words);
            if (length < 0 || (length == 0 && input.Length > RequestLengthMax))
                return DebugRequestOutcome.Broken;
            if (length > 0)
            {
                _input.RemoveRange(0, length);
                return DebugRequestOutcome.Command;
            }

            if (!_channel.Read(_input))
                return DebugRequestOutcome.Over;
        }
    }

    // The length of the command; 0: it is not complete; negative: it is none.
    private static int Parse(ReadOnlySpan<byte> input, out string[] words)
    {
        words = [];
        int place = 0;
        int state = ReadNumber(input, ref place, (byte)'*', WordCountMax, out int count);
        if (state <= 0)
            return state;
        var found = new string[count];
        for (int index = 0; index < count; index++)
        {
            state = ReadNumber(input, ref place, (byte)'$', WordLengthMax, out int length);
            if (state <= 0)
                return state;
            if (input.Length < place + length + 2)
                return 0;
            if (!input.Slice(place + length, 2).SequenceEqual("\r\n"u8))
                return -1;
            found[index] = Encoding.Latin1.GetString(input.Slice(place, length));
            place += length + 2;
        }

        words = found;
        return place;
    }

    // 1: read; 0: not complete; -1: broken.
    private static int ReadNumber(
        ReadOnlySpan<byte> input, ref int place, byte mark, int max, out int number)
    {
        number = 0;
        if (place == input.Length)
            return 0;
        if (input[place] != mark)
            return -1;
        ReadOnlySpan<byte> rest = input[(place + 1)..];
        int end = rest.IndexOf((byte)'\r');
        if (end < 0 || end + 1 == rest.Length)
            return rest.Length > LineLengthMax ? -1 : 0;
        place += end + 3;
        if (!RedisNumber.TryParseInt64(rest[..end], out long value) || value <= 0 || value > max)
            return -1;
        number = (int)value;
        return 1;
    }
}

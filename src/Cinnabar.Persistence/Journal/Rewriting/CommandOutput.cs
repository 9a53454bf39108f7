using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Resp;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Journal.Rewriting;

/// <summary>Writes commands, argument by argument.</summary>
/// <param name="output">Takes the bytes; stays the caller's.</param>
// SAFETY: what is written at a pointer lies within the room that was reserved just before.
internal sealed unsafe class CommandOutput(RdbOutput output)
{
    private const int HeadSizeMax = 16;
    private const int DirectSizeMax = RdbOutput.BlockSize - (2 * HeadSizeMax);
    private const int StreamIdSizeMax = (2 * RedisNumber.Int64BytesMax) + 1;

    private readonly RdbOutput _output = output;
    private int _awaitedCount;

    /// <summary>Begins a command.</summary>
    /// <param name="argumentCount">How many arguments it has, the name included.</param>
    internal void Begin(int argumentCount)
    {
        Debug.Assert(_awaitedCount == 0, "the command before lacks arguments");
        Debug.Assert(argumentCount > 0, "a command has a name");
        _awaitedCount = argumentCount;
        byte* place = _output.Reserve(HeadSizeMax);
        _output.Advance((int)(CommandText.WriteHead(place, argumentCount) - place));
    }

    /// <summary>Writes an argument.</summary>
    internal void Write(ReadOnlySpan<byte> argument)
    {
        if (argument.Length > DirectSizeMax)
        {
            Write(new LongText(argument));
            return;
        }

        Count();
        byte* place = _output.Reserve((2 * HeadSizeMax) + argument.Length);
        _output.Advance((int)(CommandText.WriteArgument(place, argument) - place));
    }

    /// <summary>Writes a long argument.</summary>
    internal void Write(LongText argument)
    {
        Count();
        byte* place = _output.Reserve(HeadSizeMax);
        byte* end = CommandText.WriteArgumentHead(place, checked((int)argument.Length));
        _output.Advance((int)(end - place));
        for (long offset = 0; offset < argument.Length;)
        {
            ReadOnlySpan<byte> piece = argument.PieceAt(offset);
            _output.WriteBytes(piece);
            offset += piece.Length;
        }

        _output.WriteBytes("\r\n"u8);
    }

    /// <summary>Writes an integer.</summary>
    internal void Write(long value)
    {
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax];
        Write(text[..RedisNumber.FormatInt64(value, text)]);
    }

    /// <summary>Writes a score.</summary>
    internal void Write(double value)
    {
        Span<byte> text = stackalloc byte[RedisNumber.DoubleBytesMax];
        Write(text[..RedisNumber.FormatDoubleSeventeen(value, text)]);
    }

    /// <summary>Writes the ID of a stream's entry.</summary>
    internal void Write(StreamId id)
    {
        Span<byte> text = stackalloc byte[StreamIdSizeMax];
        bool fits = System.Text.Unicode.Utf8.TryWrite(
            text, CultureInfo.InvariantCulture, $"{id.Ms}-{id.Sequence}", out int length);
        Debug.Assert(fits, "room for the longest ID");
        Write(text[..length]);
    }

    private void Count()
    {
        Debug.Assert(_awaitedCount > 0, "the command has all its arguments");
        _awaitedCount--;
    }
}

using System;
using System.Buffers;
using System.Buffers.Text;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Finds whole commands in the pipe's buffers, without copying: an argument is a piece of
/// them.</summary>
internal sealed class RequestParser
{
    private ReadOnlySequence<byte>[] _arguments = new ReadOnlySequence<byte>[4];

    /// <summary>Takes one command off the front.</summary>
    /// <param name="unread">The input; afterwards without the command, and unchanged if there is no whole
    /// one.</param>
    /// <param name="arguments">At least one; valid until the next call.</param>
    /// <returns>Whether there was a whole command.</returns>
    /// <exception cref="ProtocolException">The input is no command.</exception>
    public bool TryRead(ref ReadOnlySequence<byte> unread, out ReadOnlySpan<ReadOnlySequence<byte>> arguments)
    {
        var reader = new SequenceReader<byte>(unread);
        int count = 0;
        while (count == 0)
        {
            arguments = default;
            if (!reader.TryPeek(out byte first)) return false;
            if (first == '*' ? !TryReadBulks(ref reader, out count) : !TryReadInline(ref reader, out count))
                return false;
            unread = unread.Slice(reader.Position);
        }

        arguments = _arguments.AsSpan(0, count);
        return true;
    }

    private bool TryReadBulks(ref SequenceReader<byte> reader, out int count)
    {
        if (!TryReadNumber(ref reader, RequestLimits.ArgumentCountMax, out count)) return false;
        int bytesLeft = RequestLimits.RequestBytesMax;
        for (int index = 0; index < count; index++)
        {
            if (!reader.TryPeek(out byte first)) return false;
            if (first != '$') throw new ProtocolException("expected '$'");
            if (!TryReadNumber(ref reader, bytesLeft, out int size)) return false;
            if (!reader.TryReadExact(size, out ReadOnlySequence<byte> argument)) return false;
            if (reader.Remaining < 2) return false;
            if (!reader.IsNext("\r\n"u8, advancePast: true))
                throw new ProtocolException("not as long as announced");
            Add(index, argument);
            bytesLeft -= size;
        }

        return true;
    }

    private bool TryReadInline(ref SequenceReader<byte> reader, out int count)
    {
        count = 0;
        if (!TryReadLine(ref reader, out ReadOnlySequence<byte> line)) return false;
        var words = new SequenceReader<byte>(line);
        for (; words.AdvancePast((byte)' ') >= 0 && !words.End; count++)
        {
            if (count == RequestLimits.ArgumentCountMax) throw new ProtocolException("too many words");
            if (!words.TryReadTo(out ReadOnlySequence<byte> word, (byte)' '))
            {
                word = words.UnreadSequence;
                words.AdvanceToEnd();
            }

            Add(count, word);
        }

        return true;
    }

    // A line ends with CR LF; inline a lone LF will do, as in Redis.
    private static bool TryReadLine(ref SequenceReader<byte> reader, out ReadOnlySequence<byte> line)
    {
        if (!reader.TryReadTo(out line, (byte)'\n'))
        {
            return reader.Remaining <= RequestLimits.LineBytesMax ? false
                : throw new ProtocolException("a line without end");
        }

        long size = line.Length;
        if (size > 0 && line.Slice(size - 1).FirstSpan[0] == '\r') line = line.Slice(0, size - 1);
        return true;
    }

    private static bool TryReadNumber(ref SequenceReader<byte> reader, int max, out int number)
    {
        number = 0;
        reader.Advance(1);
        if (!reader.TryReadTo(out ReadOnlySpan<byte> line, "\r\n"u8))
        {
            return reader.Remaining <= RequestLimits.LineBytesMax ? false
                : throw new ProtocolException("a number without end");
        }

        return Utf8Parser.TryParse(line, out number, out int size) && size == line.Length && number >= 0
            && number <= max ? true : throw new ProtocolException("invalid length");
    }

    private void Add(int index, in ReadOnlySequence<byte> argument)
    {
        if (index == _arguments.Length) Array.Resize(ref _arguments, 2 * index);
        _arguments[index] = argument;
    }
}

using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO.Pipelines;
using System.Text;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Executes without strings: GET allocates nothing, SET its value and, the first time, its key.
/// Other commands use strings.</summary>
internal sealed class ByteCommands(LockFreeDictionary<byte[], byte[]> entries) : ICommands
{
    private byte[] _joined = new byte[256];

    public void Execute(ReadOnlySpan<ReadOnlySequence<byte>> arguments, PipeWriter output)
    {
        if (arguments.Length == 2 && Is(arguments[0], "GET"u8))
        {
            if (entries.TryGet(new ByteProbe(Join(arguments[1])), out byte[]? value))
                Replies.Bulk(output, value);
            else Replies.Nil(output);
        }
        else if (arguments.Length == 3 && Is(arguments[0], "SET"u8))
        {
            entries.Set(new ByteProbe(Join(arguments[1])), arguments[2].ToArray());
            Replies.Ok(output);
        }
        else if (arguments.Length == 1 && Is(arguments[0], "PING"u8))
        {
            Replies.Pong(output);
        }
        else
        {
            var texts = new List<string>(arguments.Length);
            foreach (ReadOnlySequence<byte> argument in arguments)
                texts.Add(Encoding.Latin1.GetString(argument));
            Encoding.Latin1.GetBytes(StringCommand.Parse(texts).Reply(null), output);
        }
    }

    private static bool Is(in ReadOnlySequence<byte> name, ReadOnlySpan<byte> upper)
    {
        if (name.Length != upper.Length) return false;
        Span<byte> copy = stackalloc byte[upper.Length];
        name.CopyTo(copy);
        return Ascii.EqualsIgnoreCase(copy, upper);
    }

    // A key that lies in two of the pipe's buffers is copied together.
    private ReadOnlySpan<byte> Join(in ReadOnlySequence<byte> key)
    {
        if (key.IsSingleSegment) return key.FirstSpan;
        if (key.Length > _joined.Length) _joined = new byte[key.Length];
        key.CopyTo(_joined);
        return _joined.AsSpan(0, (int)key.Length);
    }
}

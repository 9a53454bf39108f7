using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO.Pipelines;
using System.Text;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Makes a string of every argument, then executes as the stations before.</summary>
internal sealed class StringCommands(IStrings entries) : ICommands
{
    private readonly List<string> _arguments = [];

    public void Execute(ReadOnlySpan<ReadOnlySequence<byte>> arguments, PipeWriter output)
    {
        _arguments.Clear();
        foreach (ref readonly ReadOnlySequence<byte> argument in arguments)
            _arguments.Add(Encoding.Latin1.GetString(argument));
        StringCommand command = StringCommand.Parse(_arguments);
        switch (command.Kind)
        {
            case StringCommandKind.Get when entries.Find(command.Key) is { } value:
                Replies.Bulk(output, value);
                break;
            case StringCommandKind.Get:
                Replies.Nil(output);
                break;
            case StringCommandKind.Set:
                entries.Set(command.Key, command.Value!);
                Replies.Ok(output);
                break;
            default:
                Encoding.Latin1.GetBytes(command.Reply(null), output);
                break;
        }
    }
}

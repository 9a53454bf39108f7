using System;
using System.Collections.Generic;
using System.IO;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>What a server of this machine appends to its append-only file.</summary>
/// <param name="client">A client of it.</param>
internal sealed class AppendedFile(RespClient client) : IDisposable
{
    private readonly FileStream _file = new(
        Path.Combine(client.Call("CONFIG", "GET", "dir").Items[1].Text,
            "appendonlydir", "appendonly.aof.1.incr.aof"),
        FileMode.Open, FileAccess.Read, FileShare.ReadWrite);

    /// <summary>The commands since the last look, as words in lower case. The record selects a database where
    /// it is another than before: that is left out.</summary>
    public List<string[]> TakeCommands()
    {
        var bytes = new byte[_file.Length - _file.Position];
        _file.ReadExactly(bytes);
        List<string[]> commands = RecordedText.CommandsOf(bytes);
        commands.RemoveAll(static command => command[0] == "select");
        return commands;
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();
}

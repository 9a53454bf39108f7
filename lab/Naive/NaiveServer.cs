using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

namespace Cinnabar.Lab.Naive;

/// <summary>The obvious first server: a task a connection, lines read and written with the
/// framework's text reader and writer, one concurrent dictionary, and a flush after every command.</summary>
/// <param name="isAutoFlush">The writer flushes by itself after each write, instead of on request.</param>
internal sealed class NaiveServer(bool isAutoFlush)
{
    private readonly ConcurrentDictionary<string, string> _entries = new();

    public async Task ServeAsync(Socket socket)
    {
        await using var stream = new LineLimitedStream(socket);
        using var reader = new StreamReader(stream, Encoding.Latin1, detectEncodingFromByteOrderMarks: false);
        await using var writer = new StreamWriter(stream, Encoding.Latin1) { AutoFlush = isAutoFlush };
        var requests = new RequestLines(() => new ValueTask<string?>(reader.ReadLineAsync()));
        while (await requests.ReadAsync() is { } arguments)
        {
            await writer.WriteAsync(Execute(arguments));
            if (!isAutoFlush) await writer.FlushAsync();
        }
    }

    private string Execute(List<string> arguments)
    {
        StringCommand command = StringCommand.Parse(arguments);
        string? found = null;
        if (command.Kind == StringCommandKind.Get) _entries.TryGetValue(command.Key, out found);
        else if (command.Kind == StringCommandKind.Set) _entries[command.Key] = command.Value!;
        return command.Reply(found);
    }
}

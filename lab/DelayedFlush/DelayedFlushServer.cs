using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

namespace Cinnabar.Lab.DelayedFlush;

/// <summary>The naive server with one change: replies stay in the writer while the next command is available,
/// and are sent together when the next read would wait.</summary>
/// <param name="concurrencyLevel">How many locks the dictionary has for writers.</param>
internal sealed class DelayedFlushServer(int concurrencyLevel)
{
    private const int Capacity = 31;
    private readonly ConcurrentDictionary<string, string> _entries = new(concurrencyLevel, Capacity);

    public async Task ServeAsync(Socket socket)
    {
        await using var stream = new LineLimitedStream(socket);
        using var reader = new StreamReader(stream, Encoding.Latin1, detectEncodingFromByteOrderMarks: false);
        await using var writer = new StreamWriter(stream, Encoding.Latin1);
        var requests = new RequestLines(async () =>
        {
            Task<string?> line = reader.ReadLineAsync();
            if (!line.IsCompleted) await writer.FlushAsync();
            return await line;
        });
        while (await requests.ReadAsync() is { } arguments) await writer.WriteAsync(Execute(arguments));
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

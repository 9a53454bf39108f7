using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Cinnabar.Lab.Sharded;

/// <summary>
/// Connections read and write as in the delayed-flush server, but touch no entry: every command goes through
/// a queue to the one worker that owns its key. Plain, a connection has one command under way and waits for
/// its result; pipelined, it queues all its commands and collects their results when the next read would
/// wait.
/// </summary>
/// <param name="workerCount">How many workers, each with its own part of the keys.</param>
/// <param name="isRoutedByConnection">A connection's commands all go to one worker, so that connections of
/// other workers do not see its keys; otherwise the key says which worker.</param>
/// <param name="isPipelined">Whether a connection may have several commands under way.</param>
internal sealed class ShardedServer(int workerCount, bool isRoutedByConnection, bool isPipelined)
{
    private const int UnderWayCountMax = 1024;
    private readonly Worker[] _workers = [.. Enumerable.Range(0, workerCount).Select(_ => new Worker())];
    private int _connectionCount;

    public async Task ServeAsync(Socket socket)
    {
        int own = (int)((uint)Interlocked.Increment(ref _connectionCount) % (uint)workerCount);
        await using var stream = new LineLimitedStream(socket);
        using var reader = new StreamReader(stream, Encoding.Latin1, detectEncodingFromByteOrderMarks: false);
        await using var writer = new StreamWriter(stream, Encoding.Latin1);
        var underWay = new Queue<Work>();
        var requests = new RequestLines(async () =>
        {
            Task<string?> line = reader.ReadLineAsync();
            if (!line.IsCompleted)
            {
                await AnswerAsync(underWay, writer);
                await writer.FlushAsync();
            }

            return await line;
        });
        while (await requests.ReadAsync() is { } arguments)
        {
            var work = new Work(StringCommand.Parse(arguments));
            WorkerOf(work.Command, own).Post(work);
            underWay.Enqueue(work);
            if (!isPipelined || underWay.Count == UnderWayCountMax) await AnswerAsync(underWay, writer);
        }

        await AnswerAsync(underWay, writer);
    }

    private static async Task AnswerAsync(Queue<Work> underWay, StreamWriter writer)
    {
        while (underWay.TryDequeue(out Work? work))
            await writer.WriteAsync(work.Command.Reply(await work.Found));
    }

    private Worker WorkerOf(in StringCommand command, int own) => _workers[
        isRoutedByConnection || command.Kind is not (StringCommandKind.Get or StringCommandKind.Set) ? own
        : (int)((uint)command.Key.GetHashCode() % (uint)workerCount)];
}

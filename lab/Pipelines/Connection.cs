using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;

namespace Cinnabar.Lab.Pipelines;

/// <summary>One connection: executes all whole commands in the pipe's input, writes their replies
/// together.</summary>
internal sealed class Connection(PipeReader input, PipeWriter output, ICommands commands)
{
    /// <summary>Replies leave at this size even when commands are left: a reply can be much longer than its
    /// command.</summary>
    private const int UnsentBytesMax = 256 * 1024;

    private readonly RequestParser _parser = new();

    /// <summary>Serves until the client ends the connection or breaks the protocol.</summary>
    /// <param name="isParallel">The next read begins before the last write has ended.</param>
    public async Task ServeAsync(bool isParallel)
    {
        ValueTask<ReadResult> reading = input.ReadAsync();
        for (; ; )
        {
            ReadResult read = await reading;
            ReadOnlySequence<byte> unread = read.Buffer;
            while (ExecuteSome(ref unread)) await output.FlushAsync();
            if (unread.Length > 2 * RequestLimits.RequestBytesMax)
                throw new ProtocolException("too big a command");
            input.AdvanceTo(unread.Start, unread.End);
            if (read.IsCompleted) break;
            if (isParallel)
            {
                ValueTask<FlushResult> writing = output.FlushAsync();
                reading = input.ReadAsync();
                await writing;
            }
            else
            {
                await output.FlushAsync();
                reading = input.ReadAsync();
            }
        }

        // Only an end in order completes the pipe. After an error a read may be under way, into memory that
        // completing would lend to others: it is left to the collector.
        await output.FlushAsync();
        await input.CompleteAsync();
        await output.CompleteAsync();
    }

    // Whether it stopped to send the replies first.
    private bool ExecuteSome(ref ReadOnlySequence<byte> unread)
    {
        while (_parser.TryRead(ref unread, out ReadOnlySpan<ReadOnlySequence<byte>> arguments))
        {
            commands.Execute(arguments, output);
            if (output.UnflushedBytes >= UnsentBytesMax) return true;
        }

        return false;
    }
}

using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Lab.Pipelines;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Lab.Pipelines;

public sealed class OneTokenPipeReaderTests
{
    private const int ByteCount = 200_000;

    /// <summary>Reads of every size come out in order, however much is taken of them and left.</summary>
    [Fact]
    public void GivesWhatTheStreamGives() => Seeded.Run(2, seed =>
    {
        var random = new Random((int)(seed & int.MaxValue));
        byte[] sent = new byte[ByteCount];
        random.NextBytes(sent);
        var received = new ArrayBufferWriter<byte>();
        Receive(new OneTokenPipeReader(new UnevenStream(sent, random)), received, random)
            .GetAwaiter().GetResult();
        Assert.True(received.WrittenSpan.SequenceEqual(sent));
    });

    private static async Task Receive(PipeReader reader, ArrayBufferWriter<byte> received, Random random)
    {
        for (; ; )
        {
            ReadResult read = await reader.ReadAsync();
            ReadOnlySequence<byte> unread = read.Buffer;
            long taken = read.IsCompleted || random.Next(4) == 0 ? unread.Length
                : random.NextInt64(unread.Length + 1);
            foreach (ReadOnlyMemory<byte> piece in unread.Slice(0, taken)) received.Write(piece.Span);
            SequencePosition consumed = unread.GetPosition(taken);
            // Unexamined bytes come again at once; examined ones only with more behind them.
            reader.AdvanceTo(consumed, random.Next(2) == 0 ? consumed : unread.End);
            if (read.IsCompleted) break;
        }

        await reader.CompleteAsync();
    }

    private sealed class UnevenStream(byte[] bytes, Random random) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
            new(Read(buffer.Span[..Math.Min(buffer.Length, random.Next(1, 6000))]));
    }
}

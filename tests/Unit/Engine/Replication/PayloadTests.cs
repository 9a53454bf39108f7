using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Replication;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Replication;

/// <summary>The data of a full synchronisation between the saver and the replicas.</summary>
public sealed class PayloadTests
{
    private const long WaitingBytesMax = 8 << 20;
    private const int PieceBytes = 1 << 20;
    private const int WaitMsMax = 300_000;

    /// <summary>The saver waits for the slowest; both get all.</summary>
    [Fact]
    public void TheSaverWaitsForTheSlowestReplica()
    {
        using var server = new TestServer();
        using var scene = new Scene(server, isBounded: true);
        byte[] all = new byte[24 << 20];
        new Random(1).NextBytes(all);
        var saver = new Thread(() =>
        {
            scene.Payload.Append(all);
            scene.Payload.Complete();
        });
        saver.Start();
        var first = new MemoryStream();
        Await(() => scene.Take(0, first) >= WaitingBytesMax);
        Assert.InRange(scene.Payload.MemoryBytes, 0, WaitingBytesMax + (2 * PieceBytes));
        Assert.False(scene.Payload.IsWhole);
        var second = new MemoryStream();
        Await(() =>
        {
            Assert.InRange(scene.Payload.MemoryBytes, 0, WaitingBytesMax + (2 * PieceBytes));
            return scene.Take(0, first) + scene.Take(1, second) == 2 * all.Length;
        });
        saver.Join();
        Assert.True(first.ToArray().AsSpan().SequenceEqual(all));
        Assert.True(second.ToArray().AsSpan().SequenceEqual(all));
        scene.LeaveAll();
        Assert.Equal((0, 1), (scene.AbandonedCount, scene.EndedCount));
    }

    /// <summary>A saver that waits ends when the last replica has gone.</summary>
    [Fact]
    public void AWaitingSaverEndsWithTheLastReplica()
    {
        using var server = new TestServer();
        using var scene = new Scene(server, isBounded: true);
        bool isRefused = false;
        var saver = new Thread(() =>
        {
            try
            {
                scene.Payload.Append(new byte[24 << 20]);
            }
            catch (IOException)
            {
                isRefused = true;
                scene.Payload.Fail();
            }
        });
        saver.Start();
        Await(() => scene.Payload.MemoryBytes >= WaitingBytesMax);
        scene.Leave(0);
        Assert.Equal(0, scene.AbandonedCount);
        scene.Leave(1);
        saver.Join();
        Assert.True(isRefused);
        Assert.Equal((1, 1), (scene.AbandonedCount, scene.EndedCount));
    }

    /// <summary>Saver and replicas may end in each order: the memory goes with the last of them,
    /// once.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void TheMemoryGoesWithTheLast(int leftBefore)
    {
        using var server = new TestServer();
        using var scene = new Scene(server, isBounded: false);
        scene.Payload.Append("bytes"u8);
        for (int index = 0; index < leftBefore; index++)
            scene.Leave(index);
        Assert.Equal(leftBefore == 2 ? 1 : 0, scene.AbandonedCount);
        if (leftBefore == 2)
        {
            Assert.Throws<IOException>(() => scene.Payload.Append("more"u8));
            scene.Payload.Fail();
        }
        else
        {
            scene.Payload.Complete();
        }

        Assert.Equal(leftBefore == 2 ? 1 : 0, scene.EndedCount);
        scene.LeaveAll();
        Assert.Equal(1, scene.EndedCount);
        Assert.Equal(leftBefore == 2 ? 1 : 0, scene.AbandonedCount);
        Assert.Equal(0, scene.Payload.MemoryBytes);
    }

    /// <summary>A replica that has taken the last byte may leave before the saver has ended: nothing is given
    /// up then.</summary>
    [Fact]
    public void TheEndOfTheDataAbandonsNothing()
    {
        const int RoundCount = 300;
        using var server = new TestServer();
        for (int round = 0; round < RoundCount; round++)
        {
            using var scene = new Scene(server, isBounded: false);
            scene.Payload.Append("bytes"u8);
            var replicas = new Thread(() =>
            {
                Await(() => scene.Payload.IsWhole);
                scene.LeaveAll();
            });
            replicas.Start();
            scene.Payload.Complete();
            replicas.Join();
            Assert.Equal((0, 1), (scene.AbandonedCount, scene.EndedCount));
        }
    }

    private static void Await(Func<bool> isDone)
    {
        long endMs = Environment.TickCount64 + WaitMsMax;
        while (!isDone())
        {
            Assert.True(Environment.TickCount64 < endMs, "it has not come about");
            Thread.Yield();
        }
    }

    // Two replicas whose loop does nothing: the test reads for them.
    private sealed unsafe class Scene : IDisposable
    {
        private readonly List<BacklogReader?> _readers = [];
        private int _abandonedCount;
        private int _endedCount;

        public Scene(TestServer server, bool isBounded)
        {
            Payload = new Payload(server.Engine.Chunks)
            {
                IsBounded = isBounded,
                Ended = _ => Interlocked.Increment(ref _endedCount),
                Abandoned = () => Interlocked.Increment(ref _abandonedCount),
            };
            Payload.Begin([.. Enumerable.Range(0, 2).Select(_ => ReplicaOf(server))]);
            _readers.AddRange([Payload.AddReader(), Payload.AddReader()]);
        }

        public Payload Payload { get; }

        public int AbandonedCount => Volatile.Read(ref _abandonedCount);

        public int EndedCount => Volatile.Read(ref _endedCount);

        // Takes some bytes, if there are any; returns how many it has got so far.
        public long Take(int index, MemoryStream to)
        {
            if (!_readers[index]!.TryTake(PieceBytes, out BacklogSegment segment))
                return to.Length;
            // SAFETY: the segment's reference keeps its bytes until it is released.
            to.Write(new ReadOnlySpan<byte>(segment.Data, segment.Length));
            segment.Block->Release();
            Payload.NoteTaken();
            return to.Length;
        }

        public void Leave(int index)
        {
            if (_readers[index] is { } reader)
                Payload.Leave(reader);
            _readers[index] = null;
        }

        public void LeaveAll()
        {
            Leave(0);
            Leave(1);
        }

        public void Dispose() => LeaveAll();

        private static Replica ReplicaOf(TestServer server)
        {
            TestClient client = server.Connect();
            var replica = new Replica(client.Session!, server.Engine.Replicas, server.Engine.Chunks);
            client.Session!.Feed = replica;
            return replica;
        }
    }
}

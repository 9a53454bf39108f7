using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Replication;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>The stream of blocks against a list of all bytes: what readers take, what is kept.</summary>
public sealed class ReplicationBacklogTests
{
    private const long Origin = 1000;

    [Fact]
    public void ReadersTakeEveryByteOnceAndInOrder() => Seeded.Run(20, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using var pool = new SharedBlockPool(pages);
        var random = new Random((int)seed);
        var all = new List<byte>();
        var readers = new List<(BacklogReader Reader, long Position)>();
        using (var backlog = new ReplicationBacklog(pool, Origin) { Retention = random.Next(300_000) })
        {
            for (int step = 0; step < 400; step++)
            {
                switch (random.Next(6))
                {
                    case 0 or 1:
                        byte[] bytes = new byte[random.Next(random.Next(2) == 0 ? 50 : 100_000)];
                        random.NextBytes(bytes);
                        all.AddRange(bytes);
                        Assert.Equal(Origin + all.Count, backlog.Append(bytes));
                        break;
                    case 2 when readers.Count < 4:
                        Add(backlog, readers, all, random);
                        break;
                    case 3 when readers.Count > 1:
                        readers[0].Reader.Dispose();
                        readers.RemoveAt(0);
                        break;
                    case 4:
                        backlog.Retention = random.Next(300_000);
                        break;
                    default:
                        Take(readers, all, random);
                        break;
                }

                Assert.Equal(Origin + all.Count, backlog.EndOffset);
                Assert.InRange(backlog.StartOffset, Origin, backlog.EndOffset);
            }
        }

        pool.Trim();
        Assert.Equal(0, pool.UsedBytes);
    });

    [Fact]
    public void WhatNoReaderNeedsIsFreedBeyondTheRetention()
    {
        using var pages = new PageSource(isChecked: true);
        using var pool = new SharedBlockPool(pages);
        using var backlog = new ReplicationBacklog(pool, 0) { Retention = 100_000 };
        BacklogReader slow = backlog.TryAddReader(0)!;
        for (int index = 0; index < 100; index++)
            backlog.Append(new byte[10_000]);
        Assert.Equal(1_000_000, backlog.UnreadBytes);
        Assert.InRange(backlog.MemoryBytes, 1_000_000, 1_200_000);
        // Others can begin with what a slow reader keeps.
        Assert.Equal(0, backlog.StartOffset);
        backlog.TryAddReader(0)!.Dispose();
        slow.Dispose();
        Assert.Equal(900_000, backlog.StartOffset);
        Assert.Null(backlog.TryAddReader(899_999));
        Assert.InRange(backlog.MemoryBytes, 100_000, 300_000);
        using BacklogReader fast = backlog.TryAddReader(900_000)!;
        Assert.Equal(100_000, fast.UnreadBytes);
        Assert.Null(backlog.TryAddReader(1_000_001));
    }

    private static void Add(ReplicationBacklog backlog, List<(BacklogReader Reader, long Position)> readers,
        List<byte> all, Random random)
    {
        long start = backlog.StartOffset;
        long position = random.NextInt64(Origin, Origin + all.Count + 2);
        BacklogReader? reader = backlog.TryAddReader(position);
        Assert.Equal(position >= start && position <= Origin + all.Count, reader is not null);
        if (reader is not null)
            readers.Add((reader, position));
    }

    private static unsafe void Take(
        List<(BacklogReader Reader, long Position)> readers, List<byte> all, Random random)
    {
        for (int index = 0; index < readers.Count; index++)
        {
            (BacklogReader reader, long position) = readers[index];
            int bytesMax = random.Next(1, 70_000);
            bool hasTaken = reader.TryTake(bytesMax, out BacklogSegment segment);
            Assert.Equal(position < Origin + all.Count, hasTaken);
            if (!hasTaken)
                continue;
            Assert.InRange(segment.Length, 1, bytesMax);
            byte[] taken = new Span<byte>(segment.Data, segment.Length).ToArray();
            Assert.Equal(all.GetRange((int)(position - Origin), segment.Length), taken);
            segment.Block->Release();
            readers[index] = (reader, position + segment.Length);
            Assert.Equal(reader.Position, position + segment.Length);
        }
    }
}

using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Persistence.Journal;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>Records come out of the ring whole, and in the order of the locks under which they went
/// in.</summary>
public sealed class JournalRingTests
{
    private const int Capacity = 16 * 1024;
    private const int PrefixBytes = 12;

    [Fact]
    public void RecordsOfAnyLengthComeOutInOrder()
    {
        var random = new Random((int)(uint)Seeded.Seed());
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        ring.Reader = drain;
        var sink = new CollectingSink();
        drain.Add(sink);
        var expected = new List<byte>("*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n"u8.ToArray());
        for (int count = 0; count < 2000; count++)
        {
            byte[] bytes = new byte[1 + random.Next(random.Next(10) == 0 ? 2 * Capacity : 300)];
            random.NextBytes(bytes);
            expected.AddRange(bytes);
            long end = ring.Append(3, false, bytes);
            if (random.Next(20) != 0)
                continue;
            drain.DrainTo(end);
            Assert.Equal(end, drain.Position);
            Assert.Equal(end, sink.Position);
        }

        Assert.True(drain.TryDrain());
        Assert.Equal(expected.Count, drain.Offset);
        Assert.Equal(expected, sink.Bytes);
    }

    [Fact]
    public void WhatIsForReplicasOnlyGoesToNoFile()
    {
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        var file = new CollectingSink();
        var stream = new CollectingSink { IsForReplicas = true };
        drain.Add(file);
        drain.Add(stream);
        ring.Append(0, false, "zero "u8);
        ring.AppendFor(JournalAudience.Replicas, "ping "u8);
        ring.Append(2, false, "one "u8);
        ring.AppendFor(JournalAudience.Replicas, "ping "u8);
        ring.Append(2, false, "two "u8);
        string publication = new('p', (int)ring.InlineBytesMax + 1);
        ring.AppendFor(JournalAudience.Replicas, System.Text.Encoding.Latin1.GetBytes(publication));
        drain.Mark();
        ring.Append(2, false, "three "u8);
        ring.AppendFor(JournalAudience.File, "own "u8);
        ring.Append(2, false, "four "u8);
        drain.DrainTo(ring.Tail);
        const string Select = "*2\r\n$6\r\nSELECT\r\n$1\r\n2\r\n";
        const string First = "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n";
        Assert.Equal($"{First}zero {Select}one two {Select}three own {Select}four ", file.Text);
        Assert.Equal($"{First}zero ping {Select}one ping two {publication}{Select}three {Select}four ",
            stream.Text);
        Assert.Equal(file.Text.Length, drain.Offset);
        Assert.Equal(ring.Tail, file.Position);
    }

    [Fact]
    public void ARecordThatIsNotPublishedHoldsBackThoseBehindIt()
    {
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        var sink = new CollectingSink();
        drain.Add(sink);
        JournalClaim claim = ring.Claim(new JournalUnit(0, 0, false, 4));
        ring.Append(0, false, "later"u8);
        drain.TryDrain();
        Assert.Equal("", sink.Text);
        Fill(claim, "soon"u8);
        ring.Publish(in claim);
        drain.TryDrain();
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\nsoonlater", sink.Text);
    }

    [Fact]
    public void SelectsStandWhereTheDatabaseChanges()
    {
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        var sink = new CollectingSink();
        drain.Add(sink);
        ring.Append(0, false, "a"u8);
        ring.Append(0, false, "b"u8);
        ring.Append(11, true, "cc"u8);
        JournalClaim claim = ring.Claim(new JournalUnit(11, 4, true, 2));
        Fill(claim, "dd"u8);
        ring.Publish(in claim);
        ring.Append(4, false, "e"u8);
        drain.TryDrain();
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\nab*1\r\n$5\r\nMULTI\r\n"
            + "*2\r\n$6\r\nSELECT\r\n$2\r\n11\r\ncc*1\r\n$4\r\nEXEC\r\n"
            + "*1\r\n$5\r\nMULTI\r\ndd*1\r\n$4\r\nEXEC\r\ne", sink.Text);
    }

    [Fact]
    public void ASwitchBeginsAFileThatSelectsItsDatabase()
    {
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        var sink = new CollectingSink();
        drain.Add(sink);
        ring.Append(0, false, "a"u8);
        ring.AppendSwitch();
        ring.Append(0, false, "b"u8);
        drain.TryDrain();
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\na"u8.ToArray(), Assert.Single(sink.Files));
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\nb", sink.Text);
    }

    [Fact]
    public void TimestampsNeverGoBack()
    {
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring) { WantsTimestamps = true };
        var sink = new CollectingSink();
        drain.Add(sink);
        foreach (int seconds in (int[])[1001, 1001, 1003, 1000, 1004])
        {
            ring.NowSeconds = seconds;
            ring.Append(0, false, [(byte)('0' + (seconds % 10))]);
        }

        drain.TryDrain();
        Assert.Equal("#TS:1001\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n11#TS:1003\r\n30#TS:1004\r\n4", sink.Text);
        Assert.Equal(28, drain.Offset);
    }

    /// <summary>Producers take locks as executions take stripes. Whatever the threads do, the numbers that
    /// are given under one lock come out in order, and every record whole.</summary>
    [Fact]
    public void ManyProducersKeepTheOrderOfTheirLocks()
    {
        const int ProducerCount = 4;
        const int StripeCount = 3;
        const int RecordCount = 2000;
        int seed = (int)(uint)Seeded.Seed();
        using var ring = new JournalRing(Capacity);
        using var drain = new JournalDrain(ring);
        ring.Reader = drain;
        var sink = new CollectingSink();
        drain.Add(sink);
        var stripes = Enumerable.Range(0, StripeCount).Select(_ => new object()).ToArray();
        int[] counts = new int[StripeCount];
        var threads = Enumerable.Range(0, ProducerCount).Select(producer => new Thread(() =>
        {
            var random = new Random(seed + producer);
            for (int count = 0; count < RecordCount; count++)
            {
                int stripe = random.Next(StripeCount);
                byte[] bytes = new byte[PrefixBytes + random.Next(random.Next(50) == 0 ? Capacity : 120)];
                BinaryPrimitives.WriteInt32LittleEndian(bytes, bytes.Length);
                BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(4), stripe);
                long end;
                lock (stripes[stripe])
                {
                    BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(8), counts[stripe]++);
                    bytes.AsSpan(PrefixBytes).Fill(bytes[8]);
                    end = ring.Append(0, false, bytes);
                }

                if (count % 16 == 0)
                    drain.DrainTo(end);
            }
        })).ToArray();
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        drain.TryDrain();

        ReadOnlySpan<byte> rest = sink.Bytes.AsSpan("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n"u8.Length);
        int[] seen = new int[StripeCount];
        while (!rest.IsEmpty)
        {
            int length = BinaryPrimitives.ReadInt32LittleEndian(rest);
            int stripe = BinaryPrimitives.ReadInt32LittleEndian(rest[4..]);
            Assert.Equal(seen[stripe]++, BinaryPrimitives.ReadInt32LittleEndian(rest[8..]));
            Assert.Equal(-1, rest[PrefixBytes..length].IndexOfAnyExcept(rest[8]));
            rest = rest[length..];
        }

        Assert.Equal(counts, seen);
        Assert.Equal(ProducerCount * RecordCount, seen.Sum());
    }

    // SAFETY: the claim has room for as many bytes.
    private static unsafe void Fill(JournalClaim claim, ReadOnlySpan<byte> bytes) =>
        bytes.CopyTo(new Span<byte>(claim.Data, bytes.Length));
}

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Blocks;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class BlockStringTests
{
    private const int Leaf = 64 * 1024;

    [Theory]
    [InlineData(3 * Leaf, 120)]
    [InlineData(40 * Leaf, 30)]
    [InlineData(600 * Leaf, 2)]
    public void ActsLikeAnArrayWhileSnapshotsAreHeld(int lengthMax, int rounds) => Seeded.Run(rounds, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using (var source = new BlockSource(pages))
        {
            new Run(source, seed, lengthMax).Steps(lengthMax > 100 * Leaf ? 40 : 80);
            while (source.ReclaimSlice(7))
            {
            }
            Assert.Equal(0, source.BlockCount);
            Assert.Equal(0, source.UsedBytes);
        }
        Assert.Empty(pages.LeakReport());
    });

    [Fact]
    public void ReadersOnOtherThreadsSeeTheStringAsItWas() => Seeded.Run(3, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using var source = new BlockSource(pages);
        var random = new RandomSource(seed);
        BlockString written = BlockString.CreateZero(source, 20 * Leaf);
        var readers = new List<Task>();
        for (int version = 1; version <= 150; version++)
        {
            // Each version fills the whole string with its number, as seen by every reader that retains it in
            // between.
            Span<byte> fill = new byte[3 * Leaf];
            fill.Fill((byte)version);
            for (long at = 0; at < written.Length; at += fill.Length)
            {
                written.Write(source, at, fill[..(int)Math.Min(fill.Length, written.Length - at)]);
            }
            nint address = written.Retain().Address;
            byte expected = (byte)version;
            readers.Add(Task.Run(() => ReadAndRelease(source, BlockString.FromAddress(address), expected)));
            if (random.NextBelow(4) == 0) Thread.Yield();
            if (readers.Count > 8)
            {
                Task.WaitAll([.. readers]);
                readers.Clear();
            }
        }
        Task.WaitAll([.. readers]);
        written.Release(source);
        while (source.ReclaimSlice(100))
        {
        }
        Assert.Equal(0, source.BlockCount);
    });

    private static void ReadAndRelease(BlockSource source, BlockString version, byte expected)
    {
        foreach (ReadOnlySpan<byte> span in version.Spans())
        {
            Assert.False(span.ContainsAnyExcept(expected), "a snapshot changed");
        }
        version.Release(source);
        source.ReclaimSlice(50);
    }

    // The strings beside what they must be. Snapshots are written to as well: they are like any other.
    private sealed class Run(BlockSource source, ulong seed, int lengthMax)
    {
        private readonly List<(nint Address, byte[] Model)> _strings = [];
        private RandomSource _random = new(seed);

        internal void Steps(int count)
        {
            for (int step = 0; step < count; step++)
            {
                if (_strings.Count == 0) Make();
                Step();
                if (step % 8 == 0) CheckAll();
            }
            CheckAll();
            foreach ((nint address, _) in _strings)
            {
                BlockString held = BlockString.FromAddress(address);
                held.Release(source);
            }
        }

        private int Below(int bound) => (int)_random.NextBelow((ulong)bound);

        private void Step()
        {
            int chosen = Below(_strings.Count);
            (nint address, byte[] model) = _strings[chosen];
            BlockString value = BlockString.FromAddress(address);
            switch (Below(12))
            {
                case 0:
                    _strings.Add((value.Retain().Address, [.. model]));
                    return;
                case 1:
                    value.Release(source);
                    _strings.RemoveAt(chosen);
                    source.ReclaimSlice(Below(100));
                    return;
                case 2:
                    if (_strings.Count < 4) Make();
                    return;
                case 3 or 4:
                    Array.Resize(ref model, RandomLength());
                    value.Resize(source, model.Length);
                    break;
                case 5 or 6:
                    byte[] added = RandomBytes(Math.Min(RandomCount(), lengthMax - model.Length));
                    value.Append(source, added);
                    model = [.. model, .. added];
                    break;
                case 7 when model.Length > 0:
                    int at = Below(model.Length);
                    Span<byte> writable = value.WritableSpanAt(source, at);
                    Assert.Equal(Math.Min(Leaf - at % Leaf, model.Length - at), writable.Length);
                    model[at] = writable[0] = (byte)(writable[0] ^ 0x5A);
                    break;
                default:
                    int offset = Below(model.Length + 1);
                    byte[] data = RandomBytes(Math.Min(RandomCount(), model.Length - offset));
                    value.Write(source, offset, data);
                    data.CopyTo(model, offset);
                    break;
            }
            _strings[chosen] = (value.Address, model);
        }

        private int RandomLength() =>
            Below(4) == 0 ? Below(lengthMax / Leaf + 1) * Leaf : Below(lengthMax + 1);

        private int RandomCount() => Below(3) switch
        {
            0 => Below(100),
            1 => Below(Leaf),
            _ => Below(lengthMax / 2),
        };

        private byte[] RandomBytes(int count)
        {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i += 64) bytes[i] = (byte)_random.Next();
            return bytes;
        }

        private void Make()
        {
            byte[] model = RandomBytes(RandomLength());
            BlockString made;
            switch (Below(3))
            {
                case 0:
                    made = BlockString.Create(source, model);
                    break;
                case 1:
                    model.AsSpan().Clear();
                    made = BlockString.CreateZero(source, model.Length);
                    break;
                default:
                    BlockRegion region = BlockRegion.Allocate(source, 1 + model.Length + Below(Leaf * 3));
                    Fill(region, model);
                    made = BlockString.Adopt(source, region, model.Length);
                    break;
            }
            _strings.Add((made.Address, model));
        }

        private static unsafe void Fill(BlockRegion region, byte[] model) =>
            model.CopyTo(new Span<byte>(region.Data, model.Length));

        private void CheckAll()
        {
            foreach ((nint address, byte[] model) in _strings)
            {
                BlockString value = BlockString.FromAddress(address);
                Assert.Equal(model.Length, value.Length);
                int at = 0;
                foreach (ReadOnlySpan<byte> span in value.Spans())
                {
                    Assert.True(span.SequenceEqual(model.AsSpan(at, span.Length)), $"differs at {at}");
                    at += span.Length;
                }
                Assert.Equal(model.Length, at);
                int from = Below(model.Length + 1);
                byte[] part = new byte[Below(model.Length - from + 1)];
                value.CopyTo(from, part);
                Assert.True(part.AsSpan().SequenceEqual(model.AsSpan(from, part.Length)), "CopyTo differs");
            }
            CheckAccounting();
        }

        // Bytes of one string are exact when nothing is shared: then they are what the source has in use.
        private void CheckAccounting()
        {
            if (_strings.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            long bytes = BlockString.FromAddress(_strings[0].Address).MemoryBytes;
            Assert.InRange(source.UsedBytes - bytes, 0, lengthMax / Leaf * 24 + 1024);
        }
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Listpacks;

public sealed unsafe class ListpackProperties
{
    private const int FuzzCount = 60_000;

    [Fact]
    public void ActsLikeAListOfTexts() => Seeded.Run(60, seed =>
    {
        using var run = new Run(new Draws(seed));
        run.Steps(120);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 1_000, draws =>
    {
        using var run = new Run(draws);
        run.Steps(int.MaxValue);
    });

    // Sound listpacks with a few bytes changed, and bytes that look like entries: what passes can be walked
    // and edited, and neither the check nor the walk touches a byte outside.
    [Fact]
    public void AValidatedListpackCanBeWalked() => Seeded.Run(2, seed =>
    {
        var draws = new Draws(seed);
        using var pack = new ListpackMemory(1 << 17);
        int soundCount = 0;
        for (int round = 0; round < FuzzCount; round++) soundCount += CheckBytes(pack, draws) ? 1 : 0;
        Assert.InRange(soundCount, FuzzCount / 100, FuzzCount - FuzzCount / 100);
    });

    [Fact]
    public void NoProgramFindsAValidListpackThatCannotBeWalked() =>
        Fuzzer.Run(programCount: 1_000, programSizeMax: 300, draws =>
        {
            using var pack = new ListpackMemory(1 << 17);
            while (!draws.HasEnded) CheckBytes(pack, draws);
        });

    private static bool CheckBytes(ListpackMemory pack, Draws draws)
    {
        pack.Set(Hostile(draws));
        var bytes = new ReadOnlySpan<byte>(pack.Data, pack.Length);
        bool isSound = ListpackValidator.IsSound(bytes);
        int count = bytes.Length > 5 ? bytes[4] : -1;
        draws.Mark(isSound ? 1 : 0, count, bytes.Length > 6 ? bytes[6] >> 4 : -1, bytes.Length / 64);
        if (isSound) Walk(pack);
        return isSound;
    }

    private static void Walk(ListpackMemory pack)
    {
        List<string> texts = pack.Texts();
        ListpackReader reader = pack.Reader;
        Assert.Equal(texts.Count, reader.Count);
        int left = texts.Count;
        for (int position = reader.Last; position != 0; position = reader.Previous(position))
            Assert.Equal(texts[--left], ListpackMemory.TextOf(reader[position]));
        Assert.Equal(0, left);
        foreach (string text in texts)
        {
            int found = reader.Find(Encoding.Latin1.GetBytes(text), reader.First);
            Assert.Equal(reader.Seek(texts.IndexOf(text)), found);
        }
        if (reader.IsEmpty) return;
        pack.Insert(reader.Last, "inserted"u8);
        pack.Edit().Delete(pack.Reader.First);
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
    }

    private static byte[] Hostile(Draws draws)
    {
        List<byte> bytes = [0, 0, 0, 0, 0, 0];
        int count = draws.Below(6);
        for (int index = 0; index < count; index++) AddEntry(bytes, draws);
        bytes.Add(0xFF);
        bytes[0] = (byte)bytes.Count;
        bytes[1] = (byte)(bytes.Count >> 8);
        bytes[4] = (byte)count;
        if (draws.Below(8) == 0) bytes[4] = bytes[5] = 0xFF;
        for (int flips = draws.Below(3); flips > 0; flips--)
            bytes[draws.Below(bytes.Count)] = (byte)draws.Below(256);
        if (draws.Below(8) == 0) bytes.RemoveRange(draws.Below(bytes.Count), 1);
        return [.. bytes];
    }

    // Mostly as it should be; often enough with a length or a back length that is not.
    private static void AddEntry(List<byte> bytes, Draws draws)
    {
        int start = bytes.Count;
        byte first = (byte)draws.Below(256);
        bytes.Add(first);
        int size = first switch
        {
            < 0x80 => 0,
            < 0xC0 => first & 0x3F,
            < 0xE0 => 1,
            < 0xF0 => AddLength12(bytes, draws),
            0xF0 => AddLength32(bytes, draws),
            0xF1 => 2,
            0xF2 => 3,
            0xF3 => 4,
            _ => 8,
        };
        for (int i = 0; i < size; i++) bytes.Add((byte)('0' + draws.Below(3)));
        int total = bytes.Count - start;
        if (total > 127) bytes.Add((byte)(total >> 7));
        bytes.Add((byte)(total > 127 ? total & 0x7F | 0x80 : total));
    }

    private static int AddLength12(List<byte> bytes, Draws draws)
    {
        int length = (bytes[^1] & 0xF) << 8 | (byte)draws.Below(256);
        bytes.Add((byte)length);
        return draws.Below(20) == 0 ? length / 2 : length;
    }

    private static int AddLength32(List<byte> bytes, Draws draws)
    {
        int length = draws.Below(300);
        uint announced = draws.Below(20) == 0 ? (uint)draws.Below(256) << 24 : (uint)length;
        bytes.AddRange(BitConverter.GetBytes(announced));
        return length;
    }

    private sealed class Run(Draws draws) : IDisposable
    {
        private readonly ListpackMemory _pack = new(1 << 22);
        private readonly List<string> _model = [];

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                Step();
                Check();
                int first = _pack.Data[Listpack.HeaderSize];
                draws.Mark(Math.Min(_model.Count, 4), long.Log2(_pack.Length), first >> 4);
            }
        }

        private void Step()
        {
            int at = Below(_model.Count + 1);
            switch (Below(10))
            {
                case < 4:
                    Insert(at, RandomText());
                    break;
                case 4:
                    InsertTwo(at, RandomText(), RandomText());
                    break;
                case 5:
                    InsertMany(at, [.. Enumerable.Range(0, Below(5)).Select(_ => RandomText())]);
                    break;
                case 6 or 7 when at < _model.Count:
                    Replace(at, RandomText());
                    break;
                case 8:
                    int count = Math.Min(Below(4), _model.Count - at);
                    Assert.Equal(count, _pack.Edit().Delete(PositionOf(at), count));
                    _model.RemoveRange(at, count);
                    break;
                default:
                    Sieve();
                    break;
            }
        }

        public void Dispose() => _pack.Dispose();

        private int Below(int bound) => draws.Below(bound);

        private int PositionOf(int index) =>
            index == _model.Count ? _pack.Reader.End : _pack.Reader.Seek(index);

        private void Insert(int at, string text)
        {
            _pack.Insert(PositionOf(at), Encoding.Latin1.GetBytes(text));
            _model.Insert(at, text);
        }

        private void InsertTwo(int at, string first, string second)
        {
            ListpackElement one = Element(first);
            ListpackElement two = Element(second);
            _pack.Edit(one.Size + two.Size).Insert(PositionOf(at), one, two);
            _model.InsertRange(at, [first, second]);
        }

        private void InsertMany(int at, string[] texts)
        {
            long size = 0;
            foreach (string text in texts) size += Element(text).Size;
            ListpackGap gap = _pack.Edit(size).Open(PositionOf(at), size, texts.Length);
            foreach (string text in texts) gap.Write(Element(text));
            gap.Complete();
            _model.InsertRange(at, texts);
        }

        private void Replace(int at, string text)
        {
            ListpackElement element = Element(text);
            long growth = element.Size - _pack.Reader.SizeAt(PositionOf(at));
            _pack.Edit(Math.Max(growth, 0)).Replace(PositionOf(at), element);
            _model[at] = text;
        }

        private void Sieve()
        {
            int oneIn = Below(6) + 1;
            var sieve = new ListpackSieve(_pack.Data);
            int dropped = 0;
            for (int index = 0; sieve.MoveNext();)
            {
                Assert.Equal(_model[index], ListpackMemory.TextOf(sieve.Current));
                if (Below(oneIn) == 1)
                {
                    sieve.Drop();
                    _model.RemoveAt(index);
                    dropped++;
                    continue;
                }
                index++;
                if (Below(30) == 0) break;
            }
            Assert.Equal(dropped, sieve.Complete());
        }

        private void Check()
        {
            _pack.Trim();
            ListpackReader reader = _pack.Reader;
            Assert.True(ListpackValidator.IsSound(reader.Bytes));
            Assert.Equal(_model, _pack.Texts());
            Assert.Equal(_model.Count, reader.Count);
            int left = _model.Count;
            for (int position = reader.Last; position != 0; position = reader.Previous(position))
                Assert.Equal(_model[--left], ListpackMemory.TextOf(reader[position]));
            Assert.Equal(0, left);
            int stride = Below(3) + 1;
            string sought = _model.Count > 0 && Below(4) > 0 ? _model[Below(_model.Count)] : RandomText();
            int from = Below(_model.Count + 1);
            int expected = from;
            while (expected < _model.Count && _model[expected] != sought) expected += stride;
            int start = from < _model.Count ? reader.Seek(from) : 0;
            int found = reader.Find(Encoding.Latin1.GetBytes(sought), start, stride);
            Assert.Equal(expected < _model.Count ? reader.Seek(expected) : 0, found);
        }

        private string RandomText() => Below(8) switch
        {
            0 => ((long)draws.Next() >> Below(64)).ToString(CultureInfo.InvariantCulture),
            1 => Below(20).ToString(CultureInfo.InvariantCulture),
            2 => new string((char)Below(256), Below(70)),
            3 => new string((char)('0' + Below(10)), Below(25)),
            4 when Below(10) == 0 => new string('b', Below(20_000)),
            5 => "field:" + Below(30),
            _ => new string((char)('a' + Below(3)), Below(4)),
        };

        private static ListpackElement Element(string text) => new(Encoding.Latin1.GetBytes(text));
    }
}

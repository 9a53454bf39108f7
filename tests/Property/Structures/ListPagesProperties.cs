using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class ListPagesProperties
{
    [Theory]
    [InlineData(1, 60, 4, 300, 0)]
    [InlineData(7, 400, 3, 200, 0)]
    [InlineData(-1, 3_000, 3, 150, 0)]
    [InlineData(-2, 8_000, 2, 100, 0)]
    [InlineData(7, 400, 2, 200, 1)]
    [InlineData(-1, 3_000, 2, 150, 2)]
    [InlineData(-2, 8_000, 1, 100, 1)]
    public void ActsLikeAListWhileSnapshotsAreHeld(
        int setting, int sizeMax, int rounds, int steps, int compressDepth) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 2, (source, pages) =>
            new Run(source, pages, new Draws(seed), new ListPageLimits(setting, compressDepth), sizeMax)
                .Steps(steps)));

    [Theory]
    [InlineData(2, 30, 1)]
    [InlineData(-1, 700, 0)]
    [InlineData(-1, 2_000, 1)]
    public void NoProgramFindsADifference(int setting, int sizeMax, int compressDepth) =>
        Fuzzer.Run(programCount: 150, programSizeMax: 3_000, draws =>
            CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, pages) =>
                new Run(source, pages, draws, new ListPageLimits(setting, compressDepth), sizeMax)
                    .Steps(int.MaxValue)));

    [Theory]
    [InlineData(ListEnd.Head)]
    [InlineData(ListEnd.Tail)]
    public void TheMiddleIsCompressed(ListEnd end) =>
        CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, _) =>
        {
            const int Depth = 3;
            var limits = new ListPageLimits(-2, Depth);
            ListPages list = ListPages.Create(source);
            long bytes = 0;
            for (int number = 0; number < 20_000; number++)
            {
                byte[] text = Encoding.ASCII.GetBytes($"an element of a list: {number}");
                bytes += new ListpackElement(text).Size;
                list.Push(source, in limits, end, new ListpackElement(text));
            }
            ListShape shape = list.Shape();
            Assert.Equal(shape.PageCount - 2 * Depth, shape.SqueezedCount);
            Assert.InRange(shape.OpenBytes, bytes, bytes + bytes / 50);
            Assert.InRange(list.MemoryBytes, 1, bytes / 2);
            Assert.Null(list.FindFault());
            // A change in the middle leaves it as it was.
            list.Set(source, in limits, 10_000, new ListpackElement("another"u8));
            list.Insert(source, in limits, 5_000, new ListpackElement("one more"u8));
            list.RemoveRange(source, in limits, 15_000, 15_001);
            Assert.InRange(list.Shape().SqueezedCount, shape.SqueezedCount, shape.SqueezedCount + 1);
            while (list.Count > 0) list.Pop(source, end);
            list.Release(source);
        });

    [Fact]
    public void FullPagesOfALoadAtEitherEndWasteLittle() =>
        CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, _) =>
        {
            foreach (ListEnd end in new[] { ListEnd.Head, ListEnd.Tail })
            {
                var limits = new ListPageLimits(-2);
                ListPages list = ListPages.Create(source);
                long bytes = 0;
                for (int number = 0; number < 30_000; number++)
                {
                    byte[] text = Encoding.ASCII.GetBytes($"element:{number}");
                    bytes += new ListpackElement(text).Size;
                    list.Push(source, in limits, end, new ListpackElement(text));
                }
                Assert.Null(list.FindFault());
                Assert.InRange(list.MemoryBytes, bytes, bytes + bytes / 50);
                list.Release(source);
            }
        });

    [Fact]
    public void AQueueKeepsItsPagesFew() =>
        CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, _) =>
        {
            var limits = new ListPageLimits(-2);
            ListPages list = ListPages.Create(source);
            for (int number = 0; number < 40_000; number++)
            {
                list.Push(source, in limits, ListEnd.Tail, new ListpackElement(number));
                if (list.Count > 500) list.Pop(source, ListEnd.Head);
            }
            Assert.Null(list.FindFault());
            Assert.Equal(500, list.Count);
            Assert.InRange(list.MemoryBytes, 1, 20 << 10);
            list.Release(source);
        });

    // Lists beside what they must be. Snapshots are written to as well: they are like any other.
    private sealed class Run(
        TreeSource source, PageSource pages, Draws draws, ListPageLimits limits, int sizeMax)
    {
        private readonly ListPageLimits _limits = limits;
        private readonly List<(ListPages List, List<string> Model)> _lists = [];
        private int _chosen;

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                if (_lists.Count == 0) _lists.Add((ListPages.Create(source), []));
                _chosen = Below(_lists.Count);
                (ListPages list, List<string> model) = _lists[_chosen];
                if (Step(ref list, model)) _lists[_chosen] = (list, model);
                if (step % 10 == 0) CheckAll();
            }
            CheckAll();
            foreach ((ListPages list, _) in _lists) list.Release(source);
        }

        private int Below(int bound) => draws.Below(bound);

        private string Text() => Below(12) switch
        {
            0 => "",
            1 => Below(5).ToString(CultureInfo.InvariantCulture),
            2 => (-(long)draws.Next()).ToString(CultureInfo.InvariantCulture),
            3 => "0" + Below(10),
            4 when Below(10) == 0 => new string('L', 3_000 + Below(30_000)),
            5 => new string((char)('a' + Below(2)), 60 + Below(10)),
            6 => new string('m', Below(1_000)),
            _ => "value" + Below(30),
        };

        private bool Step(ref ListPages list, List<string> model)
        {
            switch (Below(16))
            {
                case 0 when _lists.Count < 5:
                    _lists.Add((list.Retain(), [.. model]));
                    break;
                case 1:
                    list.Release(source);
                    _lists.RemoveAt(_chosen);
                    source.ReclaimSlice(Below(100));
                    return false;
                case 2:
                    RemoveSome(ref list, model);
                    break;
                case 3:
                    RemoveEqual(ref list, model);
                    break;
                case 4:
                    for (int left = Below(40); left > 0 && model.Count > 0; left--) SetOne(ref list, model);
                    break;
                case 5 or 6:
                    PopSome(ref list, model);
                    break;
                case 7:
                    AppendListpack(ref list, model);
                    break;
                case 8:
                    Add(ref list, model, Below(3));
                    break;
                case 9:
                    Walk(list, model);
                    break;
                default:
                    Add(ref list, model, long.MaxValue);
                    break;
            }
            return true;
        }

        // Adds some elements in one of several ways, until memory ends where it may.
        private void Add(ref ListPages list, List<string> model, long grants)
        {
            int way = Below(6);
            int at = Below(model.Count + 1);
            pages.GrantsLeft = grants;
            try
            {
                for (int left = Below(sizeMax / 4 + 2); left > 0 && model.Count < sizeMax; left--)
                {
                    string text = Text();
                    int rank = way switch
                    {
                        0 => model.Count,
                        1 => 0,
                        2 => Below(2) * model.Count,
                        3 => Math.Min(at++, model.Count),
                        4 => at,
                        _ => Below(model.Count + 1),
                    };
                    list.Insert(source, in _limits, rank, new ListpackElement(Encoding.ASCII.GetBytes(text)));
                    model.Insert(rank, text);
                }
            }
            catch (OutOfMemoryException) when (grants != long.MaxValue)
            {
                // Whatever was not added must not be half there: CheckAll.
            }
            pages.GrantsLeft = long.MaxValue;
        }

        private void SetOne(ref ListPages list, List<string> model)
        {
            int rank = Below(model.Count);
            model[rank] = Text();
            list.Set(source, in _limits, rank, new ListpackElement(Encoding.ASCII.GetBytes(model[rank])));
        }

        private void PopSome(ref ListPages list, List<string> model)
        {
            bool isHead = Below(2) == 0;
            for (int left = Below(model.Count + 1); left > 0; left--)
            {
                Assert.Equal(isHead ? model[0] : model[^1], At(list, isHead ? 0 : model.Count - 1));
                ListEnd end = isHead ? ListEnd.Head : ListEnd.Tail;
                if (Below(8) == 0 && list.TryTakeEnd(end, out ListEndElement kept)) kept.Keep();
                Assert.Equal(model.Count, list.Count);
                if (Below(2) == 0 && list.TryTakeEnd(end, out ListEndElement element))
                {
                    string text = isHead ? model[0] : model[^1];
                    Assert.Equal(text, element.IsInteger
                        ? element.Integer.ToString() : Encoding.Latin1.GetString(element.Text));
                    element.Remove();
                }
                else
                {
                    list.Pop(source, end);
                }
                model.RemoveAt(isHead ? 0 : model.Count - 1);
            }
        }

        private void RemoveSome(ref ListPages list, List<string> model)
        {
            for (int left = 1 + Below(5); left > 0; left--)
            {
                int from = Below(model.Count + 1);
                int count = Below(4) == 0 ? model.Count - from : Below(Math.Min(model.Count - from, 500) + 1);
                if (Below(20) == 0) (from, count) = (0, model.Count);
                list.RemoveRange(source, in _limits, from, from + count);
                model.RemoveRange(from, count);
            }
        }

        private void RemoveEqual(ref ListPages list, List<string> model)
        {
            string text = Text();
            ListEnd end = Below(2) == 0 ? ListEnd.Head : ListEnd.Tail;
            long countMax = Below(2) == 0 ? long.MaxValue : 1 + Below(5);
            long expected = 0;
            if (end == ListEnd.Tail) model.Reverse();
            while (expected < countMax && model.Remove(text)) expected++;
            if (end == ListEnd.Tail) model.Reverse();
            var sought = new ListText(Encoding.ASCII.GetBytes(text));
            Assert.Equal(expected, list.RemoveEqual(source, in _limits, in sought, end, countMax));
        }

        private unsafe void AppendListpack(ref ListPages list, List<string> model)
        {
            var texts = new List<string>();
            for (int left = Below(300); left > 0; left--) texts.Add(Text());
            if (model.Count + texts.Count > sizeMax) return;
            byte[] bytes = new byte[texts.Sum(static text => text.Length + 11) + Listpack.EmptySize];
            fixed (byte* data = bytes)
            {
                Listpack.Initialize(data);
                var editor = new ListpackEditor(data, bytes.Length);
                foreach (string text in texts)
                {
                    editor.Append(new ListpackElement(Encoding.ASCII.GetBytes(text)));
                }
                list.AppendListpack(source, in _limits, data);
            }
            model.AddRange(texts);
        }

        private void Walk(ListPages list, List<string> model)
        {
            if (model.Count == 0) return;
            int rank = Below(model.Count);
            ListCursor cursor = list.CursorAt(rank);
            for (int step = 0; step < 50; step++)
            {
                Assert.Equal(model[rank], TextOf(cursor.Current));
                bool isBack = Below(2) == 0;
                bool isMoved = isBack ? cursor.MoveBack() : cursor.MoveNext();
                int next = isBack ? rank - 1 : rank + 1;
                Assert.Equal(next >= 0 && next < model.Count, isMoved);
                if (isMoved) rank = next;
            }
        }

        private static string At(ListPages list, int rank) => TextOf(list.CursorAt(rank).Current);

        private static string TextOf(ListpackValue value) =>
            Encoding.ASCII.GetString(value.AsText(new byte[ListpackValue.ScratchSize]));

        private void CheckAll()
        {
            foreach ((ListPages list, List<string> model) in _lists)
            {
                Assert.Null(list.FindFault());
                Assert.Equal(model.Count, list.Count);
                if (model.Count == 0) continue;
                ListShape shape = list.Shape();
                draws.Mark(_lists.Count, Math.Min(shape.PageCount, 12), Math.Min(shape.SqueezedCount, 3),
                    long.Log2(list.MemoryBytes));
                CheckListpack(list, model);
                ListCursor cursor = list.CursorAt(0);
                for (int rank = 0; rank < model.Count; rank++)
                {
                    Assert.Equal(model[rank], TextOf(cursor.Current));
                    Assert.Equal(rank + 1 < model.Count, cursor.MoveNext());
                }
            }
            if (_lists.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            Assert.Equal(_lists[0].List.MemoryBytes, source.UsedBytes);
        }

        private static unsafe void CheckListpack(ListPages list, List<string> model)
        {
            int size = list.ListpackSize(20 << 10);
            if (size == 0) return;
            byte[] listpack = new byte[size];
            list.CopyToListpack(listpack);
            Assert.True(ListpackValidator.IsSound(listpack));
            fixed (byte* data = listpack)
            {
                var reader = new ListpackReader(data);
                Assert.Equal(model.Count, reader.Count);
                Assert.Equal(model[^1], TextOf(reader[reader.Last]));
            }
        }
    }
}

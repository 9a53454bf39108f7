using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Streams;

public class StreamTreeProperties
{
    [Theory]
    [InlineData(40, 100, 10)]
    [InlineData(3, 250, 100)]
    public void ActsLikeANaiveStreamWhileSnapshotsAreHeld(int rounds, int steps, int nodeEntries) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(seed, 2), arenaCount: 2, (source, pages) =>
            new Run(source, pages, new Draws(seed), nodeEntries).Steps(steps)));

    [Theory]
    [InlineData(3)]
    [InlineData(20)]
    public void NoProgramFindsADifference(int nodeEntries) =>
        Fuzzer.Run(programCount: 150, programSizeMax: 3_000, draws =>
            CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, pages) =>
                new Run(source, pages, draws, nodeEntries).Steps(int.MaxValue)));

    private sealed class Run(TreeSource source, PageSource pages, Draws draws, int nodeEntries)
    {
        private readonly List<(nint Stream, StreamModel Model)> _versions = [];
        private readonly StreamNodeLimits _limits = new(600, nodeEntries);
        private StreamTree _stream;
        private StreamModel _model = new();

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                if (_versions.Count == 0)
                    _versions.Add((StreamTree.Create(source).Address, new StreamModel()));
                Step();
                if (step % 8 == 0) CheckAll();
            }
            CheckAll();
            foreach ((nint stream, _) in _versions) StreamTree.FromAddress(stream).Release(source);
        }

        private int Below(int bound) => draws.Below(bound);

        private void Step()
        {
            int chosen = Below(_versions.Count);
            _stream = StreamTree.FromAddress(_versions[chosen].Stream);
            _model = _versions[chosen].Model;
            switch (Below(14))
            {
                case 0 when _versions.Count < 4:
                    _versions.Add((_stream.Retain().Address, _model.Copy()));
                    return;
                case 1 when Below(3) == 0:
                    _stream.Release(source);
                    _versions.RemoveAt(chosen);
                    source.ReclaimSlice(Below(50));
                    return;
                case 2:
                    Delete();
                    break;
                case 3:
                    Trim();
                    break;
                case 4:
                    pages.GrantsLeft = Below(3);
                    Append();
                    pages.GrantsLeft = long.MaxValue;
                    break;
                case 5 or 6:
                    ChangeGroups();
                    break;
                case 7 or 8 or 9:
                    ChangePending();
                    break;
                default:
                    Append();
                    break;
            }
            _versions[chosen] = (_stream.Address, _model);
        }

        private void Append()
        {
            int countMax = 20 * nodeEntries;
            for (int left = Below(3 * nodeEntries); left > 0 && _model.Entries.Count < countMax; left--)
            {
                StreamId last = _model.Last;
                StreamId id = Below(3) == 0
                    ? new StreamId(last.Ms + (ulong)Below(3_000) + 1, (ulong)Below(5))
                    : new StreamId(last.Ms, last.Sequence + 1 + (ulong)Below(200));
                string[] texts = RandomTexts();
                using var fields = new StreamFields([.. texts.Select(Encoding.Latin1.GetBytes)]);
                try
                {
                    _stream.Append(source, id, fields.List, _limits);
                }
                catch (OutOfMemoryException)
                {
                    return;
                }
                _model.Entries.Add(id, texts);
                _model.Last = id;
                _model.EntriesAdded++;
            }
        }

        private string[] RandomTexts()
        {
            int count = Below(4) == 0 ? 1 + Below(6) : 2;
            string[] texts = new string[2 * count];
            for (int index = 0; index < texts.Length; index++)
            {
                texts[index] = Below(20) switch
                {
                    0 => Below(100_000).ToString(),
                    1 => new string('x', Below(400)),
                    2 => "",
                    _ => index % 2 == 0 ? "field" + index : Below(100).ToString() + "v",
                };
            }
            return texts;
        }

        private void Delete()
        {
            for (int left = Below(_model.Entries.Count / 2 + 1); left > 0; left--)
            {
                StreamId id = RandomId();
                bool isThere = _model.Entries.Remove(id);
                Assert.Equal(isThere, _stream.Delete(source, id));
                if (isThere && id > _model.MaxDeleted) _model.MaxDeleted = id;
            }
        }

        private void Trim()
        {
            var trim = new StreamTrim { IsById = Below(2) == 0, IsApproximate = Below(2) == 0 };
            if (Below(4) == 0) trim.CountMax = Below(50);
            trim.LengthMax = Below(_model.Entries.Count + 2);
            trim.IdMin = RandomId();
            long count = _stream.Trim(source, in trim);
            long expected = trim.IsById
                ? _model.Entries.Keys.Count(id => id < trim.IdMin)
                : Math.Max(0, _model.Entries.Count - trim.LengthMax);
            if (!trim.IsApproximate && trim.CountMax == 0) Assert.Equal(expected, count);
            Assert.True(count <= expected);
            foreach (StreamId id in _model.Entries.Keys.Take((int)count).ToList()) _model.Entries.Remove(id);
        }

        private StreamId RandomId() => _model.Entries.Count == 0 || Below(10) == 0
            ? new StreamId((ulong)Below(100), (ulong)Below(10))
            : _model.Entries.Keys.ElementAt(Below(_model.Entries.Count));

        private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

        private void ChangeGroups()
        {
            string name = "group " + Below(4);
            if (!_model.Groups.TryGetValue(name, out StreamModelGroup? model))
            {
                _model.Groups.Add(name, new StreamModelGroup { LastId = _model.Last });
                StreamGroups.Create(ref _stream, source, Bytes(name), _model.Last, 7);
                return;
            }
            Assert.True(StreamGroups.TryFind(_stream, Bytes(name), out StreamGroup group));
            string consumer = "a consumer with a long name " + Below(12);
            bool isThere = StreamGroups.TryFindConsumer(_stream, in group, Bytes(consumer), out var found);
            Assert.Equal(model.SeenMs.ContainsKey(consumer), isThere);
            switch (Below(8))
            {
                case 0:
                    StreamGroups.Destroy(ref _stream, source, Bytes(name), in group);
                    _model.Groups.Remove(name);
                    break;
                case 1:
                    model.LastId = RandomId();
                    group = group with { LastId = model.LastId };
                    StreamGroups.Save(ref _stream, source, Bytes(name), in group);
                    break;
                case 2 when isThere:
                    long gone = StreamGroups.DeleteConsumer(
                        ref _stream, source, in group, Bytes(consumer), in found);
                    List<StreamId> ids = model.PendingWith(consumer);
                    Assert.Equal(ids.Count, gone);
                    foreach (StreamId id in ids) model.Pending.Remove(id);
                    model.SeenMs.Remove(consumer);
                    break;
                default:
                    long nowMs = Below(1000);
                    model.SeenMs[consumer] = nowMs;
                    if (!isThere)
                        StreamGroups.CreateConsumer(ref _stream, source, in group, Bytes(consumer), nowMs);
                    else
                        StreamGroups.SaveConsumer(
                            ref _stream, source, in group, Bytes(consumer), found with { SeenMs = nowMs });
                    break;
            }
        }

        private void ChangePending()
        {
            if (_model.Groups.Count == 0) return;
            (string name, StreamModelGroup model) = _model.Groups.ElementAt(Below(_model.Groups.Count));
            if (model.SeenMs.Count == 0) return;
            Assert.True(StreamGroups.TryFind(_stream, Bytes(name), out StreamGroup group));
            bool isLess = Below(2) == 0;
            for (int left = Below(3 * nodeEntries); left > 0; left--)
            {
                string consumer = model.SeenMs.Keys.ElementAt(Below(model.SeenMs.Count));
                StreamGroups.TryFindConsumer(_stream, in group, Bytes(consumer), out StreamConsumer found);
                StreamId id = Below(2) == 0 || model.Pending.Count == 0
                    ? RandomId()
                    : model.Pending.Keys.ElementAt(Below(model.Pending.Count));
                bool isThere = StreamPendings.TryFind(_stream, in group, id, out StreamPending old);
                Assert.Equal(model.Pending.ContainsKey(id), isThere);
                if (isLess)
                {
                    Assert.Equal(isThere, StreamPendings.Remove(ref _stream, source, in group, id));
                    model.Pending.Remove(id);
                    continue;
                }
                var pending = new StreamPending(id, found.Number, Below(50), (ulong)Below(9));
                if (isThere)
                    StreamPendings.Update(ref _stream, source, in group, in old, in pending);
                else
                    StreamPendings.Add(ref _stream, source, in group, in pending);
                model.Pending[id] = (consumer, pending.DeliveredMs, pending.DeliveryCount);
            }
            if (Below(4) != 0) return;
            StreamId everywhere = RandomId();
            StreamPendings.RemoveEverywhere(ref _stream, source, everywhere);
            foreach (StreamModelGroup other in _model.Groups.Values) other.Pending.Remove(everywhere);
        }

        private void CheckAll()
        {
            foreach ((nint stream, StreamModel model) in _versions)
            {
                _stream = StreamTree.FromAddress(stream);
                _model = model;
                Assert.Null(StreamVerifier.FindFault(_stream));
                draws.Mark(_versions.Count, long.Log2(_stream.Length + 1), _stream.GroupCount,
                    long.Log2(_stream.MemoryBytes));
                CheckEntries();
                foreach ((string name, StreamModelGroup group) in model.Groups) CheckGroup(name, group);
            }
            if (_versions.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            Assert.Equal(_stream.MemoryBytes, source.UsedBytes);
        }

        private void CheckEntries()
        {
            Assert.Equal(_model.Entries.Count, _stream.Length);
            Assert.Equal(_model.First, _stream.FirstId);
            Assert.Equal(_model.Last, _stream.LastId);
            Assert.Equal(_model.MaxDeleted, _stream.MaxDeletedId);
            Assert.Equal(_model.EntriesAdded, _stream.EntriesAdded);
            Assert.Equal(_model.Groups.Count, _stream.GroupCount);
            CheckRange(StreamId.Zero, StreamId.Max);
            for (int round = 0; round < 4; round++)
            {
                CheckRange(RandomId(), RandomId());
                StreamId id = RandomId();
                Assert.Equal(_model.Entries.ContainsKey(id), _stream.Contains(id));
            }
        }

        private void CheckRange(StreamId from, StreamId to)
        {
            List<StreamId> expected = [.. _model.Entries.Keys.Where(id => id >= from && id <= to)];
            for (int direction = 0; direction < 2; direction++)
            {
                var ids = new List<StreamId>();
                StreamCursor cursor = _stream.Range(from, to, isReverse: direction == 1);
                while (cursor.MoveNext())
                {
                    ids.Add(cursor.Id);
                    if (Below(3) == 0) CheckTexts(ref cursor);
                }
                Assert.Equal(expected, ids);
                expected.Reverse();
            }
        }

        private void CheckTexts(ref StreamCursor cursor)
        {
            Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
            string[] texts = _model.Entries[cursor.Id];
            Assert.Equal(texts.Length, 2 * cursor.FieldCount);
            foreach (string text in texts)
                Assert.Equal(text, Encoding.Latin1.GetString(cursor.NextText().AsText(scratch)));
        }

        private void CheckGroup(string name, StreamModelGroup model)
        {
            Assert.True(StreamGroups.TryFind(_stream, Bytes(name), out StreamGroup group));
            Assert.Equal(model.LastId, group.LastId);
            Assert.Equal(model.SeenMs.Count, StreamGroups.ConsumerCount(_stream, in group));
            Assert.Equal(model.Pending.Count, StreamPendings.CountOf(_stream, in group));
            Assert.Equal(model.Pending.Count != 0,
                StreamPendings.TryBounds(_stream, in group, out StreamId first, out StreamId last));
            Assert.Equal(model.Pending.Keys.FirstOrDefault(), first);
            Assert.Equal(model.Pending.Keys.LastOrDefault(), last);
            var names = new List<string>();
            StreamConsumerCursor consumers = StreamGroups.Consumers(_stream, in group);
            while (consumers.MoveNext())
            {
                string consumer = Encoding.Latin1.GetString(consumers.Name);
                names.Add(consumer);
                Assert.Equal(model.SeenMs[consumer], consumers.Consumer.SeenMs);
                CheckOwned(model, in group, consumer, consumers.Consumer);
            }
            Assert.Equal(model.SeenMs.Keys, names);
            StreamPendingCursor pendings = StreamPendings.Of(_stream, in group, StreamId.Zero);
            foreach ((StreamId id, var expected) in model.Pending)
            {
                Assert.True(pendings.MoveNext());
                StreamPending pending = pendings.Pending;
                Assert.Equal(id, pending.Id);
                Assert.Equal((expected.Ms, expected.Count), (pending.DeliveredMs, pending.DeliveryCount));
                ReadOnlySpan<byte> consumer = StreamGroups.NameOf(_stream, in group, pending.Consumer);
                Assert.Equal(expected.Consumer, Encoding.Latin1.GetString(consumer));
            }
            Assert.False(pendings.MoveNext());
            CheckOldest(model, in group);
        }

        private void CheckOwned(
            StreamModelGroup model, in StreamGroup group, string name, StreamConsumer consumer)
        {
            StreamId from = RandomId();
            List<StreamId> all = model.PendingWith(name);
            Assert.Equal(all.Count, StreamPendings.CountOf(_stream, in consumer));
            var found = new List<StreamId>();
            StreamOwnedCursor cursor = StreamPendings.Of(_stream, in group, in consumer, from);
            while (cursor.MoveNext()) found.Add(cursor.Id);
            Assert.Equal(all.Where(id => id >= from), found);
        }

        private void CheckOldest(StreamModelGroup model, in StreamGroup group)
        {
            StreamId[] expected = [.. model.Pending.OrderBy(p => p.Value.Ms).Select(p => p.Key)];
            long fromMs = 0;
            StreamId fromId = StreamId.Zero;
            foreach (StreamId id in expected)
            {
                Assert.True(StreamPendings.TryOldest(_stream, in group, fromMs, fromId, out var pending));
                Assert.Equal(id, pending.Id);
                fromMs = pending.DeliveredMs;
                pending.Id.TryNext(out fromId);
            }
            Assert.False(StreamPendings.TryOldest(_stream, in group, fromMs, fromId, out _));
        }
    }
}

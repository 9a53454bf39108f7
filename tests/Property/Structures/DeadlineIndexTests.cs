using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class DeadlineIndexTests
{
    private const long Year2025Ms = 1_735_689_600_000;

    [Fact]
    public void ActsLikeASortedListUnderAnyClock() => Seeded.Run(60, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using (var arena = new Arena(pages, "stripe"))
        using (var index = new DeadlineIndex(arena, Year2025Ms))
        {
            new Run(index, seed).Steps(400);
        }
        Assert.Empty(pages.LeakReport());
    });

    // The model is a list of the records that must be in the index; hashes are serial numbers.
    private sealed class Run(DeadlineIndex index, ulong seed)
    {
        private readonly Dictionary<ulong, DeadlineRecord> _model = [];
        private readonly HashSet<ulong> _stale = [];
        private readonly DeadlineRecord[] _into = new DeadlineRecord[300];
        private RandomSource _random = new(seed);
        private long _nowMs = Year2025Ms;
        private ulong _nextHash = 1;

        internal void Steps(int count)
        {
            for (int step = 0; step < count; step++)
            {
                switch (_random.NextBelow(10))
                {
                    case < 4: AddSome(); break;
                    case < 5: Take(1 + (int)_random.NextBelow(300)); break;
                    case < 6: MakeStale(); break;
                    case < 7: Compact(1 + (int)_random.NextBelow(200)); break;
                    default: MoveClock(); TakeAllDue(); break;
                }
                Assert.Equal(_model.Count, index.Count);
                Assert.True(index.NextDeadlineMs <= EarliestMs(), "the next deadline is too late");
            }
            _nowMs = long.MaxValue;
            TakeAllDue();
            Assert.Equal(0, index.Count);
            Assert.Equal(long.MaxValue, index.NextDeadlineMs);
        }

        private long EarliestMs() => _model.Count == 0 ? long.MaxValue : _model.Values.Min(r => r.DeadlineMs);

        private long RandomSpanMs() => (long)(_random.Next() >> (1 + (int)_random.NextBelow(63)));

        private void AddSome()
        {
            int count = _random.NextBelow(8) == 0 ? 700 : 1 + (int)_random.NextBelow(5);
            bool isSameInstant = _random.NextBelow(2) == 0;
            long deadlineMs = RandomDeadlineMs();
            for (int i = 0; i < count; i++)
            {
                if (!isSameInstant) deadlineMs = RandomDeadlineMs();
                int database = (int)(_random.Next() >> (33 + (int)_random.NextBelow(31)));
                var record = new DeadlineRecord(deadlineMs, database, _nextHash++);
                index.Add(record.DeadlineMs, record.Database, record.Hash);
                _model.Add(record.Hash, record);
            }
        }

        private long RandomDeadlineMs() => _random.NextBelow(20) switch
        {
            0 => long.MaxValue,
            1 => 0,
            2 => Math.Max(_nowMs - RandomSpanMs(), 0),
            3 => _nowMs,
            < 12 => _nowMs + (long)_random.NextBelow(2000),
            _ => (long)Math.Min((ulong)_nowMs + (ulong)RandomSpanMs(), long.MaxValue),
        };

        private void MoveClock()
        {
            _nowMs = _random.NextBelow(12) switch
            {
                0 => Math.Max(_nowMs - RandomSpanMs(), 0),
                1 => Math.Max(_nowMs - (long)_random.NextBelow(3000), 0),
                2 => (long)Math.Min((ulong)_nowMs + ((ulong)RandomSpanMs() >> 20), long.MaxValue),
                3 => Year2025Ms,
                _ => _nowMs + (long)Math.Min(_random.NextBelow(1500), (ulong)(long.MaxValue - _nowMs)),
            };
        }

        private int Take(int countMax)
        {
            int count = index.TakeDue(_nowMs, _into.AsSpan(0, countMax));
            foreach (DeadlineRecord record in _into.AsSpan(0, count))
            {
                Assert.True(_model.Remove(record.Hash, out DeadlineRecord expected), "taken twice");
                Assert.Equal(expected, record);
                Assert.True(record.DeadlineMs <= _nowMs, "fired early");
                if (_stale.Remove(record.Hash)) index.NoteStaleTaken();
            }
            return count;
        }

        private void TakeAllDue()
        {
            int callsLeft = 20 + _model.Count * 10;
            while (index.NextDeadlineMs <= _nowMs && index.Count > 0)
            {
                Take(1 + (int)_random.NextBelow(300));
                Assert.True(callsLeft-- > 0, "taking makes no progress");
            }
            Assert.True(EarliestMs() > _nowMs || _model.Count == 0, "something due was left behind");
        }

        private void MakeStale()
        {
            foreach (ulong hash in _model.Keys.Where(_ => _random.NextBelow(3) == 0).Take(200).ToArray())
            {
                if (_stale.Add(hash)) index.NoteStale();
            }
        }

        private void Compact(int budget)
        {
            var validator = new Validator(_model, _stale);
            index.CompactSlice(budget, ref validator);
        }
    }

    private readonly struct Validator(Dictionary<ulong, DeadlineRecord> model, HashSet<ulong> stale)
        : IDeadlineValidator
    {
        public bool IsLive(in DeadlineRecord record)
        {
            Assert.Equal(model[record.Hash], record);
            if (!stale.Remove(record.Hash)) return true;
            model.Remove(record.Hash);
            return false;
        }
    }
}

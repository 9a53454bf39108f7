using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Random operations on hashes, and dictionaries beside them; time by hand, memory
/// checked.</summary>
internal sealed unsafe class HashHistory : IDisposable
{
    private const int KeyCount = 4;
    private const int ValueLengthMax = 20;

    private readonly ManualClock _clock = new();
    private readonly Cinnabar.Keyspace.Keyspace _space;
    private readonly KeyspaceAccess _access;
    private readonly Dictionary<string, Dictionary<string, Field>> _models = [];
    private readonly int _fieldCount;
    private RandomSource _random;

    public HashHistory(ulong seed, int entriesMax, int fieldCount)
    {
        _random = new RandomSource(seed);
        _fieldCount = fieldCount;
        _space = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = _clock,
            StripeCount = 2,
            IsChecked = true,
            Seed = new HashSeed(seed, ~seed),
        });
        _space.Limits.HashListpackEntriesMax = entriesMax;
        _space.Limits.HashListpackValueMax = ValueLengthMax;
        _access = new KeyspaceAccess(_space, new KeyspaceStatistics());
    }

    public long NowMs => _clock.UnixMicroseconds / 1000;

    /// <summary>Records in the indexes of deadlines.</summary>
    public long RecordCount
    {
        get
        {
            long count = 0;
            foreach (Stripe stripe in _space.Stripes)
                count += stripe.Deadlines.Count;
            return count;
        }
    }

    public void Advance(long milliseconds) => _clock.Advance(milliseconds * 1000);

    /// <summary>Does one random operation on both.</summary>
    public void Step()
    {
        switch (_random.NextBelow(100))
        {
            case < 45:
                Set(KeyName(), FieldName(), Value(), Deadline());
                break;
            case < 65:
                Remove(KeyName(), FieldName());
                break;
            case < 80:
                ChangeDeadline(KeyName(), FieldName(), Deadline());
                break;
            case < 84:
                Transfer(KeyName(), KeyName(), _random.NextBelow(3) != 0);
                break;
            case < 85:
                RemoveKey(KeyName());
                break;
            case < 93:
                Advance((long)_random.NextBelow(1UL << (int)_random.NextBelow(10)));
                break;
            default:
                Housekeep();
                break;
        }
    }

    /// <summary>Gives a field of one hash, made if need be, a deadline.</summary>
    public void SetDeadline(string field, long deadlineMs) => Set("a hash", field, "a value", deadlineMs);

    /// <summary>Does all housekeeping there is; then nothing is past its deadline.</summary>
    public void Housekeep()
    {
        foreach (Stripe stripe in _space.Stripes)
        {
            _access.Begin(0, NowMs);
            while (Reaper.ReapSlice(stripe, _access) || Reaper.DropSlice(stripe, _space, 100)
                   || Reaper.CompactSlice(stripe))
            {
            }

            _access.Commit();
        }

        while (_space.ReclaimSlice(100))
        {
        }

        foreach ((string name, Dictionary<string, Field> fields) in _models.ToArray())
        {
            foreach (string field in fields.Where(one => one.Value.IsDead(NowMs)).Select(one => one.Key))
                fields.Remove(field);
            if (fields.Count == 0)
                _models.Remove(name);
            View(name, hash => Assert.False(hash.HasDue));
        }

        Assert.Equal(_models.Count, _space.Count(0));
    }

    /// <summary>Compares everything that can be seen.</summary>
    public void Verify()
    {
        foreach ((string name, Dictionary<string, Field> model) in _models)
            View(name, hash => VerifyOne(name, hash, model));
        int volatileCount = _models.Values.Count(fields =>
            fields.Values.Any(field => field.DeadlineMs >= 0 && !field.IsDead(NowMs)));
        // A note that stands for fields that are gone may be left until it comes up.
        Assert.InRange(_space.VolatileFieldsCount(0), volatileCount, _space.Count(0));
    }

    /// <summary>Removes all keys, after which no memory may be in use.</summary>
    public void RemoveAll()
    {
        foreach (string name in _models.Keys.ToArray())
            RemoveKey(name);
        Housekeep();
        Assert.Equal(0, _space.Trees.BlockCount);
        Assert.Equal(0, _space.VolatileFieldsCount(0));
    }

    public void Dispose()
    {
        _space.Dispose();
        Assert.Empty(_space.Pages.LeakReport());
    }

    private delegate void KeyUser(scoped in Key key);

    private delegate void HashUser(HashView hash);

    private void With(string name, KeyUser action)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(name);
        fixed (byte* data = bytes)
            action(new Key(data, bytes.Length, _space.Hash(bytes)));
    }

    private void View(string name, HashUser action) => With(name, (scoped in Key key) =>
    {
        _access.Begin(0, NowMs);
        action(HashStore.View(_access, _access.Peek(in key)));
        _access.Commit();
    });

    private void VerifyOne(string name, HashView hash, Dictionary<string, Field> model)
    {
        var living = model.Where(one => !one.Value.IsDead(NowMs)).ToDictionary();
        Assert.Equal(living.Count, hash.Count);
        Dictionary<string, Field> seen = [];
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        foreach (FieldView field in hash)
        {
            string text = Encoding.Latin1.GetString(field.Name.AsText(scratch));
            string value = Encoding.Latin1.GetString(field.Value.AsText(scratch));
            seen.Add(text, new Field(value, field.DeadlineMs));
        }

        Assert.Equal(living, seen);
        foreach ((string field, Field one) in model)
        {
            byte[] bytes = Encoding.Latin1.GetBytes(field);
            Assert.Equal(!one.IsDead(NowMs), hash.TryGet(bytes, out FieldText value));
            if (one.IsDead(NowMs))
                continue;
            Assert.Equal(one.Value, Encoding.Latin1.GetString(value.AsText(scratch)));
            Assert.True(hash.TryGetDeadline(bytes, out long deadlineMs));
            Assert.Equal(one.DeadlineMs, deadlineMs);
        }

        var visitor = new CollectingVisitor { Names = [] };
        ulong cursor = 0;
        do
            cursor = hash.Scan(cursor, 7, ref visitor);
        while (cursor != 0);
        Assert.Equal(living.Keys.Order(StringComparer.Ordinal), visitor.Names.Order(StringComparer.Ordinal));
        if (living.Count > 0)
        {
            string picked = Encoding.Latin1.GetString(hash.Pick(ref _random).Name.AsText(scratch));
            Assert.Contains(picked, living.Keys);
        }

        // Of the dead ones, a write may have removed some already.
        long firstMs = living.Values.Where(static field => field.DeadlineMs >= 0)
            .Select(static field => field.DeadlineMs).DefaultIfEmpty(long.MaxValue).Min();
        if (hash.HasDue)
            firstMs = NowMs;
        Stripe stripe = _space.StripeOf(_space.Hash(Encoding.Latin1.GetBytes(name)));
        Assert.True(stripe.DeadlineNextMs <= firstMs, $"fields of {name} would be reaped too late");
    }

    private void Set(string name, string field, string value, long deadlineMs)
    {
        Change(name, mustExist: false, (editor, model) =>
        {
            bool wasThere = model.TryGetValue(field, out Field old) && !old.IsDead(NowMs);
            bool isNew = editor.Set(Bytes(field), Bytes(value), deadlineMs);
            Assert.Equal(!wasThere, isNew);
            long keptMs = wasThere ? old.DeadlineMs : HashStore.NoDeadline;
            model[field] = new Field(value, deadlineMs == HashStore.KeepDeadline ? keptMs : deadlineMs);
        });
    }

    private void Remove(string name, string field) => Change(name, mustExist: true, (editor, model) =>
    {
        bool wasThere = model.Remove(field, out Field old) && !old.IsDead(NowMs);
        Assert.Equal(wasThere, editor.Remove(Bytes(field)));
    });

    private void ChangeDeadline(string name, string field, long deadlineMs) =>
        Change(name, mustExist: true, (editor, model) =>
        {
            if (deadlineMs == HashStore.KeepDeadline || !editor.View.TryGet(Bytes(field), out _))
                return;
            editor.SetDeadline(Bytes(field), deadlineMs);
            model[field] = model[field] with { DeadlineMs = deadlineMs };
        });

    private delegate void HashChange(HashEditor editor, Dictionary<string, Field> model);

    private void Change(string name, bool mustExist, HashChange change) => With(name, (scoped in Key key) =>
    {
        _access.Begin(0, NowMs);
        HashEditor editor = HashStore.Open(_access, _access.FindSlot(in key));
        // What was opened has lost its fields past their deadline, most of them or all.
        if (editor.IsMissing && _models.Remove(name, out Dictionary<string, Field>? gone))
            Assert.All(gone.Values, field => Assert.True(field.IsDead(NowMs)));
        if (editor.IsMissing && mustExist)
            return;
        if (editor.IsMissing)
        {
            editor = HashStore.Create(_access, in key, (int)_random.NextBelow(100));
            _models[name] = [];
        }

        Dictionary<string, Field> model = _models[name];
        change(editor, model);
        if (editor.Complete())
        {
            Assert.All(model.Values, field => Assert.True(field.IsDead(NowMs)));
            _models.Remove(name);
        }

        _access.Commit();
    });

    private void RemoveKey(string name) => With(name, (scoped in Key key) =>
    {
        _access.Begin(0, NowMs);
        // A hash whose fields are all past their deadlines is none.
        bool isThere = _models.Remove(name, out Dictionary<string, Field>? model)
            && !model.Values.All(field => field.IsDead(NowMs));
        Assert.Equal(isThere, _access.Remove(in key));
        _access.Commit();
    });

    private void Transfer(string source, string target, bool isCopy)
    {
        if (source == target || !_models.TryGetValue(source, out Dictionary<string, Field>? model))
            return;
        With(source, (scoped in Key from) =>
        {
            Key sourceKey = from;
            byte[] bytes = Encoding.Latin1.GetBytes(target);
            fixed (byte* data = bytes)
            {
                _access.Begin(0, NowMs);
                _access.Transfer(in sourceKey, new Key(data, bytes.Length, _space.Hash(bytes)), 0, isCopy);
                _access.Commit();
            }
        });
        _models[target] = isCopy ? new Dictionary<string, Field>(model) : model;
        if (!isCopy)
            _models.Remove(source);
    }

    private string KeyName() => "key " + _random.NextBelow(KeyCount).ToString(CultureInfo.InvariantCulture);

    private string FieldName() => _random.NextBelow(3) == 0
        ? _random.NextBelow((ulong)_fieldCount).ToString(CultureInfo.InvariantCulture)
        : "f" + _random.NextBelow((ulong)_fieldCount).ToString(CultureInfo.InvariantCulture);

    private string Value() => _random.NextBelow(40) switch
    {
        0 => new string('x', 1 + (int)_random.NextBelow(60)),
        < 10 => _random.Next().ToString(CultureInfo.InvariantCulture),
        < 20 => ((long)_random.NextBelow(1000) - 500).ToString(CultureInfo.InvariantCulture),
        _ => new string('v', (int)_random.NextBelow(ValueLengthMax)),
    };

    private long Deadline() => _random.NextBelow(6) switch
    {
        < 3 => HashStore.NoDeadline,
        3 => HashStore.KeepDeadline,
        _ => NowMs + 1 + (long)_random.NextBelow(1UL << (int)_random.NextBelow(12)),
    };

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    private readonly record struct Field(string Value, long DeadlineMs)
    {
        public bool IsDead(long nowMs) => DeadlineMs >= 0 && DeadlineMs <= nowMs;
    }

    private struct CollectingVisitor : IFieldViewVisitor
    {
        public List<string> Names;

        public readonly void Visit(in FieldView field)
        {
            Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
            Names.Add(Encoding.Latin1.GetString(field.Name.AsText(scratch)));
        }
    }
}

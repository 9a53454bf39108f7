using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Expiry;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Platform;
using Cinnabar.Tests.Property.Fuzzing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Random operations on hashes, and dictionaries beside them.</summary>
internal sealed class HashHistory : CollectionHistory
{
    private const int KeyCount = 4;
    private const int ValueLengthMax = 20;

    private readonly Dictionary<string, Dictionary<string, Field>> _models = [];
    private readonly int _fieldCount;
    private RandomSource _source;

    public HashHistory(Draws draws, int entriesMax, int fieldCount)
        : base(draws)
    {
        _source = new RandomSource(draws.Next());
        _fieldCount = fieldCount;
        Limits.HashListpackEntriesMax = entriesMax;
        Limits.HashListpackValueMax = ValueLengthMax;
    }

    /// <summary>Records in the indexes of deadlines.</summary>
    public long RecordCount
    {
        get
        {
            long count = 0;
            foreach (Stripe stripe in Space.Stripes)
                count += stripe.Deadlines.Count;
            return count;
        }
    }

    /// <inheritdoc/>
    public override void Step()
    {
        switch (Below(100))
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
                Move(KeyName(), KeyName(), Below(3) != 0);
                break;
            case < 85:
                RemoveKey(KeyName());
                break;
            case < 93:
                Advance(Below(1 << Below(10)));
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
        foreach (Stripe stripe in Space.Stripes)
        {
            Access.Begin(0, NowMs);
            while (Reaper.ReapSlice(stripe, Access) || stripe.DropSlice(100)
                   || Reaper.CompactSlice(stripe))
            {
            }

            Access.Commit();
        }

        while (Space.ReclaimSlice(100))
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

        Assert.Equal(_models.Count, Space.Count(0));
    }

    /// <inheritdoc/>
    public override void Verify()
    {
        foreach ((string name, Dictionary<string, Field> model) in _models)
            View(name, hash => VerifyOne(name, hash, model));
        int volatileCount = _models.Values.Count(fields =>
            fields.Values.Any(field => field.DeadlineMs >= 0 && !field.IsDead(NowMs)));
        // A note that stands for fields that are gone may be left until it comes up.
        Assert.InRange(Space.VolatileFieldsCount(0), volatileCount, Space.Count(0));
    }

    /// <summary>Removes all keys, after which no memory may be in use.</summary>
    public void RemoveAll()
    {
        foreach (string name in _models.Keys.ToArray())
            RemoveKey(name);
        Housekeep();
        Assert.Equal(0, Space.Trees.BlockCount);
        Assert.Equal(0, Space.VolatileFieldsCount(0));
    }

    private delegate void HashUser(HashView hash);

    private void View(string name, HashUser action) => With(name, key =>
    {
        Access.Begin(0, NowMs);
        HashView hash = HashStore.View(Access, Access.Peek(in key));
        Mark(Access.Peek(in key), hash.Count);
        action(hash);
        Access.Commit();
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
            byte[] bytes = Bytes(field);
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
            string picked = Encoding.Latin1.GetString(hash.Pick(ref _source).Name.AsText(scratch));
            Assert.Contains(picked, living.Keys);
        }

        // Of the dead ones, a write may have removed some already.
        long firstMs = living.Values.Where(static field => field.DeadlineMs >= 0)
            .Select(static field => field.DeadlineMs).DefaultIfEmpty(long.MaxValue).Min();
        if (hash.HasDue)
            firstMs = NowMs;
        Stripe stripe = Space.StripeOf(Space.Hash(Bytes(name)));
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

    private void Change(string name, bool mustExist, HashChange change) => With(name, key =>
    {
        Access.Begin(0, NowMs);
        HashEditor editor = HashStore.Open(Access, Access.FindSlot(in key));
        // What was opened has lost its fields past their deadline, most of them or all.
        if (editor.IsMissing && _models.Remove(name, out Dictionary<string, Field>? gone))
            Assert.All(gone.Values, field => Assert.True(field.IsDead(NowMs)));
        if (editor.IsMissing && mustExist)
            return;
        if (editor.IsMissing)
        {
            editor = HashStore.Create(Access, in key, Below(100));
            _models[name] = [];
        }

        Dictionary<string, Field> model = _models[name];
        change(editor, model);
        if (editor.Complete())
        {
            Assert.All(model.Values, field => Assert.True(field.IsDead(NowMs)));
            _models.Remove(name);
        }

        Access.Commit();
    });

    private void RemoveKey(string name) => With(name, key =>
    {
        Access.Begin(0, NowMs);
        // A hash whose fields are all past their deadlines is none.
        bool isThere = _models.Remove(name, out Dictionary<string, Field>? model)
            && !model.Values.All(field => field.IsDead(NowMs));
        Assert.Equal(isThere, Access.Remove(in key));
        Access.Commit();
    });

    private void Move(string source, string target, bool isCopy)
    {
        if (source == target || !_models.TryGetValue(source, out Dictionary<string, Field>? model))
            return;
        Access.Begin(0, NowMs);
        Transfer(source, target, isCopy);
        Access.Commit();
        _models[target] = isCopy ? new Dictionary<string, Field>(model) : model;
        if (!isCopy)
            _models.Remove(source);
    }

    private string KeyName() => Name(Below(KeyCount));

    private string FieldName() => Below(3) == 0
        ? Below(_fieldCount).ToString(CultureInfo.InvariantCulture)
        : "f" + Below(_fieldCount).ToString(CultureInfo.InvariantCulture);

    private string Value() => Below(40) switch
    {
        0 => new string('x', 1 + Below(60)),
        < 10 => Draws.Next().ToString(CultureInfo.InvariantCulture),
        < 20 => (Below(1000) - 500).ToString(CultureInfo.InvariantCulture),
        _ => new string('v', Below(ValueLengthMax)),
    };

    private long Deadline() => Below(6) switch
    {
        < 3 => HashStore.NoDeadline,
        3 => HashStore.KeepDeadline,
        _ => NowMs + 1 + Below(1 << Below(12)),
    };

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

using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Expiry;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Random operations on a key space and its model.</summary>
internal sealed class KeyspaceHistory(KeyspaceFixture fixture, ulong seed, int nameCount)
{
    private RandomSource _random = new(seed);

    /// <summary>Does one random operation on both.</summary>
    public void Step()
    {
        switch (_random.NextBelow(100))
        {
            case < 30:
                Set();
                break;
            case < 42:
                Edit();
                break;
            case < 54:
                Remove();
                break;
            case < 68:
                SetDeadline();
                break;
            case < 84:
                Transfer();
                break;
            case < 90:
                fixture.Advance((long)_random.NextBelow(1UL << (int)_random.NextBelow(14)));
                break;
            case < 99:
                Housekeep();
                break;
            default:
                Wholesale();
                break;
        }
    }

    /// <summary>Gives some key another deadline, or now and then another shape, and compacts a
    /// little.</summary>
    public void ChangeDeadlines()
    {
        switch (_random.NextBelow(8))
        {
            case 0:
                Set();
                break;
            case 1:
                Edit();
                break;
            case 2:
                foreach (Stripe stripe in fixture.Space.Stripes)
                    Reaper.CompactSlice(stripe);
                break;
            default:
                SetDeadline();
                break;
        }
    }

    /// <summary>Does all housekeeping there is; then nothing dead may be left, and no garbage.</summary>
    public void HousekeepToTheEnd()
    {
        for (int index = 0; index < fixture.Space.Stripes.Length; index++)
        {
            int stripe = index;
            Run(0, () =>
            {
                while (Reaper.ReapSlice(fixture.Space.Stripes[stripe], fixture.Access)
                       || fixture.Space.Stripes[stripe].DropSlice(100)
                       || Reaper.CompactSlice(fixture.Space.Stripes[stripe]))
                {
                }
            });
        }

        while (fixture.Space.Blocks.ReclaimSlice(100))
        {
        }

        foreach (DatabaseModel model in fixture.Models)
            Assert.DoesNotContain(model.Keys.Values, key => key.IsDead(fixture.NowMs));
    }

    private void Set()
    {
        string name = Name();
        byte[] value = Value();
        long deadlineMs = _random.NextBelow(5) == 0 ? StringStore.KeepDeadline : Deadline();
        fixture.Run(
            Database(),
            () => fixture.With(name, key => fixture.Strings.Set(in key, value, deadlineMs)),
            model =>
            {
                long kept = model.Find(name, fixture.NowMs)?.DeadlineMs ?? -1;
                long newMs = deadlineMs == StringStore.KeepDeadline ? kept : deadlineMs;
                model.Store(name, new KeyModel(value, newMs), fixture.NowMs);
            });
    }

    private void Edit()
    {
        string name = Name();
        byte[] piece = Value();
        ulong bits = _random.NextBelow(20) == 0 ? 18u : 8u;
        int offset = (int)_random.NextBelow(1UL << (int)_random.NextBelow(bits));
        fixture.Run(
            Database(),
            () => fixture.With(name, key =>
                fixture.Strings.Edit(in key, offset + piece.Length).Write(offset, piece)),
            model =>
            {
                KeyModel? old = model.Find(name, fixture.NowMs);
                byte[] value = new byte[Math.Max(old?.Value.Length ?? 0, offset + piece.Length)];
                old?.Value.CopyTo(value, 0);
                piece.CopyTo(value, offset);
                model.Store(name, new KeyModel(value, old?.DeadlineMs ?? -1), fixture.NowMs);
            });
    }

    private void Remove()
    {
        string name = Name();
        bool isRemoved = false;
        fixture.Run(
            Database(),
            () => fixture.With(name, key => isRemoved = fixture.Access.Remove(in key)),
            model => Assert.Equal(model.Remove(name, fixture.NowMs), isRemoved));
    }

    private void SetDeadline()
    {
        string name = Name();
        long deadlineMs = Deadline();
        bool isSet = false;
        fixture.Run(
            Database(),
            () => fixture.With(name, key => isSet = fixture.Access.SetDeadline(in key, deadlineMs)),
            model =>
            {
                KeyModel? old = model.Find(name, fixture.NowMs);
                Assert.Equal(old is not null, isSet);
                if (old is not null && old.DeadlineMs != deadlineMs)
                    model.Store(name, old with { DeadlineMs = deadlineMs }, fixture.NowMs);
            });
    }

    private void Transfer()
    {
        int database = Database();
        int targetDatabase = Database();
        string source = Name();
        string target = _random.NextBelow(4) == 0 ? source : Name();
        bool isCopy = _random.NextBelow(2) == 0;
        if (fixture.Models[database].Find(source, fixture.NowMs) is not { } value
            || (database == targetDatabase && source == target))
            return;
        fixture.Run(
            database,
            () => fixture.With(source, target, (from, to) =>
                fixture.Access.Transfer(in from, in to, targetDatabase, isCopy)),
            model =>
            {
                fixture.Models[targetDatabase].Store(target, value, fixture.NowMs);
                if (!isCopy)
                    model.Remove(source, fixture.NowMs);
            });
    }

    private void Housekeep()
    {
        int index = (int)_random.NextBelow((ulong)fixture.Space.Stripes.Length);
        ulong kind = _random.NextBelow(4);
        Run(Database(), () =>
        {
            Stripe stripe = fixture.Space.Stripes[index];
            if (kind == 0)
                stripe.DropSlice(10);
            else if (kind == 1)
                Reaper.CompactSlice(stripe);
            else if (kind == 2)
                fixture.Space.Blocks.ReclaimSlice(10);
            else
                Reaper.ReapSlice(stripe, fixture.Access);
        });
    }

    private void Wholesale()
    {
        int database = Database();
        int other = Database();
        if (_random.NextBelow(2) == 0)
        {
            Run(database, () => fixture.Access.Swap(database, other));
            DatabaseModel[] models = fixture.Models;
            (models[database], models[other]) = (models[other], models[database]);
            return;
        }

        bool isAll = _random.NextBelow(3) == 0;
        long count = 0;
        Run(database, () => count = fixture.Access.Flush(isAll ? -1 : database));
        int expected = fixture.Models[database].Keys.Count;
        Assert.Equal(isAll ? fixture.Models.Sum(model => model.Keys.Count) : expected, count);
        for (int index = 0; index < KeyspaceFixture.DatabaseCount; index++)
        {
            if (isAll || index == database)
                fixture.Models[index].Keys.Clear();
        }
    }

    private void Run(int database, Action onSpace) => fixture.Run(database, onSpace, static _ => { });

    private int Database() => (int)_random.NextBelow(KeyspaceFixture.DatabaseCount);

    private string Name()
    {
        ulong number = _random.NextBelow((ulong)nameCount);
        return number % 16 == 15 ? $"{new string('n', 300)}{number}" : $"name:{number}";
    }

    private byte[] Value()
    {
        if (_random.NextBelow(4) == 0)
        {
            long number = (long)_random.Next() >> (int)_random.NextBelow(64);
            return Encoding.Latin1.GetBytes(number.ToString(CultureInfo.InvariantCulture));
        }

        ulong bits = _random.NextBelow(50) == 0 ? 18u : 9u;
        byte[] value = new byte[_random.NextBelow(1UL << (int)_random.NextBelow(bits))];
        for (int index = 0; index < value.Length; index++)
            value[index] = (byte)(index * 31 + value.Length);
        return value;
    }

    /// <summary>None, soon, later, or one of few far instants that come again and again.</summary>
    private long Deadline() => _random.NextBelow(4) switch
    {
        0 => StringStore.NoDeadline,
        1 => fixture.NowMs + 1 + (long)_random.NextBelow(1UL << (int)_random.NextBelow(12)),
        2 => fixture.NowMs + 1 + (long)_random.NextBelow(1UL << (int)_random.NextBelow(40)),
        _ => 9_000_000_000_000 + (long)_random.NextBelow(3),
    };
}

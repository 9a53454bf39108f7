using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>
/// A key space, checked memory under it, and a model beside it. Listens to every notice of the key space, and
/// holds every change against the pre-images that it announced.
/// </summary>
internal sealed unsafe class KeyspaceFixture : IKeyspaceObserver, IChangeGuard, IDisposable
{
    public const int DatabaseCount = 3;

    private readonly ManualClock _clock = new();
    private readonly List<(int Database, string Name)> _expired = [];
    private readonly HashSet<(int Database, string Name)> _announced = [];
    private readonly Dictionary<string, KeyModel>[] _before = new Dictionary<string, KeyModel>[DatabaseCount];
    private bool _isWholesale;

    public KeyspaceFixture(ulong seed, int stripeCount)
    {
        Space = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = _clock,
            DatabaseCount = DatabaseCount,
            StripeCount = stripeCount,
            IsChecked = true,
            Seed = new HashSeed(seed, ~seed),
        })
        {
            Observer = this,
        };
        Access = new KeyspaceAccess(Space, new KeyspaceStatistics());
        Strings = new StringStore(Access);
        foreach (Stripe stripe in Space.Stripes)
        {
            stripe.SetInterest(StripeInterests.Watches, true);
            stripe.Guard = this;
        }
    }

    public Cinnabar.Keyspace.Keyspace Space { get; }

    public KeyspaceAccess Access { get; }

    public StringStore Strings { get; }

    public DatabaseModel[] Models { get; } = [new(), new(), new()];

    public long NowMs => _clock.UnixMicroseconds / 1000;

    public void Advance(long milliseconds) => _clock.Advance(milliseconds * 1000);

    /// <summary>
    /// Runs an operation in a database: first on the key space, then what it expired and the operation itself
    /// on the model; then every difference must have been announced beforehand, with the old value in sight.
    /// </summary>
    public void Run(int database, Action onSpace, Action<DatabaseModel> onModel)
    {
        for (int index = 0; index < DatabaseCount; index++)
            _before[index] = new Dictionary<string, KeyModel>(Models[index].Keys);
        _announced.Clear();
        _expired.Clear();
        _isWholesale = false;
        Access.Begin(database, NowMs);
        onSpace();
        Access.Commit();
        foreach ((int expiredIn, string name) in _expired)
            Models[expiredIn].Expire(name, NowMs);
        onModel(Models[database]);
        if (!_isWholesale)
            CheckAnnouncements();
    }

    /// <summary>Names a key for the time of an action.</summary>
    public void With(string name, KeyAction action)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(name);
        fixed (byte* data = bytes)
            action(new Key(data, bytes.Length, Space.Hash(bytes)));
    }

    /// <summary>Names two keys for the time of an action.</summary>
    public void With(string first, string second, KeyPairAction action)
    {
        byte[] firstBytes = Encoding.Latin1.GetBytes(first);
        byte[] secondBytes = Encoding.Latin1.GetBytes(second);
        fixed (byte* firstData = firstBytes)
        fixed (byte* secondData = secondBytes)
        {
            action(
                new Key(firstData, firstBytes.Length, Space.Hash(firstBytes)),
                new Key(secondData, secondBytes.Length, Space.Hash(secondBytes)));
        }
    }

    /// <summary>Compares everything that can be seen.</summary>
    public void Verify()
    {
        for (int database = 0; database < DatabaseCount; database++)
        {
            DatabaseModel model = Models[database];
            Access.Begin(database, NowMs);
            Assert.Equal(model.Keys.Count, Space.Count(database));
            Assert.Equal(model.VolatileCount, Space.VolatileCount(database));
            Assert.Equal(model.MeanTimeToLiveMs(NowMs), Space.MeanTimeToLiveMs(database, NowMs));
            int liveCount = 0;
            foreach ((string name, KeyModel key) in model.Keys)
            {
                liveCount += key.IsDead(NowMs) ? 0 : 1;
                CheckKey(name, key);
            }

            var visitor = new CountingVisitor();
            KeyScan.Visit(Access, 0, 0, ref visitor);
            Assert.Equal(liveCount, visitor.Count);
            foreach (Stripe stripe in Space.Stripes)
                Assert.Null(stripe.Table(database)?.Entries.FindFault());
        }
    }

    /// <summary>What the arenas and the block trees hold beside the indexes of deadlines.</summary>
    public long UsedBytes()
    {
        long used = Space.Blocks.UsedBytes;
        foreach (Stripe stripe in Space.Stripes)
            used += stripe.Arena.UsedBytes - stripe.Deadlines.MemoryBytes;
        return used;
    }

    public void Dispose()
    {
        Space.Dispose();
        Assert.Empty(Space.Pages.LeakReport());
    }

    void IKeyspaceObserver.DeadlineAdvanced(Stripe stripe, long deadlineMs) =>
        Assert.Equal(deadlineMs, stripe.DeadlineNextMs);

    void IKeyspaceObserver.Changed(KeyspaceAccess access, Stripe stripe, int database,
        ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        if (keyEvent == KeyEvent.Expired)
            _expired.Add((database, Encoding.Latin1.GetString(key)));
    }

    void IKeyspaceObserver.Invalidated(
        KeyspaceAccess access, Stripe stripe, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        // No client caches.
    }

    void IKeyspaceObserver.Committed(KeyspaceAccess access)
    {
        // Nothing is collected.
    }

    void IKeyspaceObserver.DatabaseChanging(KeyspaceAccess access, int database, int other) =>
        _isWholesale = true;

    void IChangeGuard.BeforeChange(
        Stripe stripe, DatabaseTable table, EntryView entry, bool isLeaving)
    {
        string name = Encoding.Latin1.GetString(entry.Key);
        int database = DatabaseOf(stripe, entry);
        if (!_announced.Add((database, name)) || !_before[database].TryGetValue(name, out KeyModel? old))
            return;
        Assert.Equal(old.DeadlineMs, entry.DeadlineMs);
        Assert.True(entry.String.SequenceEqual(old.Value), $"{name} had changed when it was announced");
    }

    private int DatabaseOf(Stripe stripe, EntryView entry)
    {
        for (int database = 0; database < DatabaseCount; database++)
        {
            if (stripe.Table(database) is { } table
                && (ulong)table.Entries.Find(Space.Hash(entry.Key), entry.Key) == entry.Address)
                return database;
        }

        throw new InvalidOperationException("An entry was announced that no table holds.");
    }

    private void CheckAnnouncements()
    {
        for (int database = 0; database < DatabaseCount; database++)
        {
            foreach ((string name, KeyModel old) in _before[database])
            {
                bool isSame = Models[database].Keys.TryGetValue(name, out KeyModel? key) && key == old;
                Assert.True(isSame || _announced.Contains((database, name)), $"{name} changed unannounced");
            }
        }
    }

    private void CheckKey(string name, KeyModel key) => With(name, named =>
    {
        EntryView entry = Access.Peek(in named);
        Assert.Equal(key.IsDead(NowMs), entry.IsMissing);
        if (!entry.IsMissing)
        {
            Assert.Equal(key.DeadlineMs, entry.DeadlineMs);
            Assert.True(entry.String.SequenceEqual(key.Value), $"{name} has another value");
        }

        Stripe stripe = Space.StripeOf(named.Hash);
        if (key.DeadlineMs >= 0)
            Assert.True(stripe.DeadlineNextMs <= key.DeadlineMs, $"{name} would be reaped too late");
    });

    private struct CountingVisitor : IKeyVisitor
    {
        public int Count { get; private set; }

        public void Visit(EntryView entry) => Count++;
    }
}

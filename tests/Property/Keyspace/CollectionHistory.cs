using System;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Property.Fuzzing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>A random history of a few collections of one type in checked memory, time by hand; and of the
/// models that they should be equal to.</summary>
internal abstract unsafe class CollectionHistory : IDisposable
{
    private readonly ManualClock _clock = new();

    protected CollectionHistory(Draws draws)
    {
        Draws = draws;
        ulong seed = draws.Next();
        Space = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = _clock,
            StripeCount = 2,
            IsChecked = true,
            Seed = new HashSeed(seed, ~seed),
        });
        Access = new KeyspaceAccess(Space, new KeyspaceStatistics());
        Access.Begin(0, NowMs);
    }

    public long NowMs => _clock.UnixMicroseconds / 1000;

    protected Draws Draws { get; }

    protected Cinnabar.Keyspace.Keyspace Space { get; }

    protected KeyspaceAccess Access { get; }

    public CollectionLimits Limits => Space.Limits;

    /// <summary>Does one random operation on a collection and its model.</summary>
    public abstract void Step();

    /// <summary>Compares all that can be seen.</summary>
    public abstract void Verify();

    /// <summary>Does some operations, fewer where a program ends, and compares after every few.</summary>
    public void Steps(int count, int distance)
    {
        for (int step = 1; step <= count && !Draws.HasEnded; step++)
        {
            Step();
            if (step % distance == 0)
                Verify();
        }

        Verify();
    }

    public void Advance(long milliseconds) => _clock.Advance(milliseconds * 1000);

    public void Dispose()
    {
        Space.Dispose();
        Assert.Empty(Space.Pages.LeakReport());
    }

    /// <summary>The name of one of the keys.</summary>
    protected static string Name(int index) => $"key {index}";

    protected static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    protected static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);

    protected int Below(int bound) => Draws.Below(bound);

    /// <summary>A number from a first one on and below another.</summary>
    protected int Between(int first, int bound) => first + Draws.Below(Math.Max(bound - first, 1));

    protected void With(string name, KeyAction action)
    {
        byte[] bytes = Bytes(name);
        fixed (byte* data = bytes)
            action(new Key(data, bytes.Length, Space.Hash(bytes)));
    }

    protected void Transfer(string source, string target, bool isCopy)
    {
        byte[] from = Bytes(source);
        byte[] to = Bytes(target);
        fixed (byte* fromData = from, toData = to)
        {
            Access.Transfer(new Key(fromData, from.Length, Space.Hash(from)),
                new Key(toData, to.Length, Space.Hash(to)), targetDatabase: 0, isCopy);
        }
    }

    /// <summary>Marks how a key's value is kept, and about how large it is.</summary>
    protected void Mark(EntryView entry, long count)
    {
        if (!entry.IsMissing)
            Draws.Mark((long)entry.Encoding, long.Log2(count + 1), long.Log2(entry.MemoryUsage));
    }
}

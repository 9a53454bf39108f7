using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Which waiters a release of a stripe wakes.</summary>
public sealed class StripeLockTests : IDisposable
{
    private const int Few = StripeLock.WokenCountMax;

    private readonly TestServer _server = new(loopCount: 1, new ManualClock());
    private readonly List<int> _woken = [];

    [Fact]
    public void EachReleaseWakesAFewInTheOrderOfTheirArrival()
    {
        StripeLock stripe = _server.Engine.Keyspace.Stripes[0].Lock;
        Assert.True(stripe.TryEnter());
        Register(stripe, 0, 2 * Few + 1);
        stripe.Exit();
        Assert.Equal(Enumerable.Range(0, Few), _woken);
        // One of them finds it held again, and keeps its place.
        Assert.True(stripe.TryEnterSpinning(1));
        Register(stripe, 3, 1);
        stripe.Exit();
        Assert.Equal([.. Enumerable.Range(0, Few), 3, .. Enumerable.Range(Few, Few - 1)], _woken);
        Assert.True(stripe.TryEnterSpinning(1));
        stripe.Exit();
        Assert.Equal(2 * Few, _woken[^1]);
        Assert.False(stripe.HasWaiters);
        Assert.True(stripe.TryEnter());
        stripe.Exit();
    }

    [Fact]
    public void OnlyTheTokenHolderOfAReservedStripeIsWoken()
    {
        StripeLock stripe = _server.Engine.Keyspace.Stripes[0].Lock;
        Assert.True(stripe.TryEnter());
        Register(stripe, 0, 3);
        stripe.Reserve();
        Assert.True(stripe.TryAddWaiter(new FakeWaiter(_woken, 9), isTokenHolder: true, order: 9));
        stripe.Exit();
        Assert.Equal([9], _woken);
        Assert.False(stripe.TryEnterSpinning(1));
        Assert.True(stripe.TryEnterAsTokenHolder());
        stripe.Unreserve();
        Assert.Equal([9], _woken);
        stripe.Exit();
        Assert.Equal([9, 0, 1, 2], _woken);
    }

    [Fact]
    public void TheEndOfAReservationWakesTheWaitersOfAFreeStripe()
    {
        StripeLock stripe = _server.Engine.Keyspace.Stripes[0].Lock;
        stripe.Reserve();
        Register(stripe, 0, 2);
        stripe.PassOn();
        Assert.Empty(_woken);
        stripe.Unreserve();
        Assert.Equal([0, 1], _woken);
    }

    // All woken waiters of one stripe find another one held, which they need first: otherwise waiters behind
    // them that need only the free stripe would never be woken.
    [Fact]
    public void AWokenWaiterThatWaitsForAnotherStripePassesTheWakeupOn()
    {
        (string first, string second) = KeysOfTwoStripes();
        StripeLock firstStripe = StripeOf(first);
        StripeLock secondStripe = StripeOf(second);
        Assert.True(secondStripe.TryEnter());
        TestClient[] both = [.. Enumerable.Range(0, Few).Select(_ => _server.Connect())];
        foreach (TestClient client in both)
            client.Send("MSET", first, "1", second, "1");
        _server.Run();
        TestClient behind = _server.Connect();
        behind.Send("APPEND", second, "2");
        _server.Run();
        Assert.True(firstStripe.TryEnter());
        secondStripe.Exit();
        _server.Run();
        Assert.Equal(":1", behind.Shown());
        Assert.All(both, static client => Assert.Equal("", client.Shown()));
        firstStripe.Exit();
        _server.Run();
        Assert.All(both, static client => Assert.Equal("+OK", client.Shown()));
    }

    [Fact]
    public void AllOfManyWaitersContinue()
    {
        StripeLock stripe = StripeOf("k");
        Assert.True(stripe.TryEnter());
        TestClient[] clients = [.. Enumerable.Range(0, 10 * Few).Select(_ => _server.Connect())];
        foreach (TestClient client in clients)
        {
            client.Send("APPEND", "k", "x");
            _server.Run();
        }

        stripe.Exit();
        _server.Run();
        for (int index = 0; index < clients.Length; index++)
        {
            string length = (index + 1).ToString(CultureInfo.InvariantCulture);
            Assert.Equal(":" + length, clients[index].Shown());
        }
    }

    public void Dispose() => _server.Dispose();

    private void Register(StripeLock stripe, int first, int count)
    {
        for (int order = first; order < first + count; order++)
            Assert.True(stripe.TryAddWaiter(new FakeWaiter(_woken, order), isTokenHolder: false, order));
    }

    private StripeLock StripeOf(string key) => _server.Engine.Keyspace.StripeOf(HashOf(key)).Lock;

    private ulong HashOf(string key) => _server.Engine.Keyspace.Hash(Encoding.ASCII.GetBytes(key));

    // The first one's stripe is taken before the second one's.
    private (string First, string Second) KeysOfTwoStripes()
    {
        int Stripe(string key) => _server.Engine.Keyspace.StripeIndex(HashOf(key));
        string[] keys =
            [.. Enumerable.Range(0, 1000).Select(static number => $"k{number}").OrderBy(Stripe)];
        Assert.NotEqual(Stripe(keys[0]), Stripe(keys[^1]));
        return (keys[0], keys[^1]);
    }

    private sealed class FakeWaiter : ILockWaiter
    {
        private readonly List<int> _woken;
        private readonly int _number;

        public FakeWaiter(List<int> woken, int number)
        {
            (_woken, _number) = (woken, number);
            LockPlace = new LockPlace(this);
        }

        public LockPlace LockPlace { get; }

        public void StripeReleased() => _woken.Add(_number);
    }
}

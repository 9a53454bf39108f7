using System;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>
/// The lock protocol when a stripe is released just after its next waiter has failed to get it: a clock that
/// the protocol reads between the two steps does that.
/// </summary>
public sealed class LockProtocolTests : IDisposable
{
    private readonly ScriptedClock _clock = new();
    private readonly TestServer _server;

    public LockProtocolTests() => _server = new TestServer(loopCount: 1, _clock);

    [Fact]
    public void ARetryAfterAReleaseTakesAllStripesAgain()
    {
        using SessionExecution execution = Needing(1, 3, 5);
        Assert.True(Stripe(3).TryEnter());
        _clock.Script = () =>
        {
            // The failed attempt still holds the stripes before; it releases them before it tries again.
            Assert.True(Stripe(1).IsHeld);
            Stripe(3).Exit();
        };
        Assert.True(_server.Engine.Locks.TryEnterOrWait(execution));
        Assert.Null(_clock.Script);
        AssertHeld(1, 3, 5);
        _server.Engine.Locks.Exit(execution);
        AssertHeld();
    }

    [Fact]
    public void AnExecutionThatHasRunStartsFromItsFirstStripe()
    {
        using SessionExecution execution = Needing(2, 4);
        Assert.True(_server.Engine.Locks.TryEnterOrWait(execution));
        _server.Engine.Locks.Exit(execution);
        execution.Stripes = default;
        execution.Stripes.Add(0);
        Assert.True(_server.Engine.Locks.TryEnterOrWait(execution));
        AssertHeld(0);
        _server.Engine.Locks.Exit(execution);
    }

    // One of these looks at the clock lies between a command's failure to get its stripe and its second
    // attempt: that command runs without having waited, and its execution serves the next.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void ACommandAfterOneThatGotItsStripeOnTheSecondAttemptTakesItsOwn(int look)
    {
        TestClient client = _server.Connect();
        StripeLock stripe = StripeOf("k");
        Assert.True(stripe.TryEnter());
        client.Send("SET", "k", "1");
        _clock.ScriptAfter(look, stripe.Exit);
        _server.Run();
        Assert.Equal("+OK", client.Shown());
        Assert.True(stripe.TryEnter());
        client.Send("SET", "k", "2");
        _server.Run();
        Assert.Equal("", client.Shown());
        Assert.True(stripe.IsHeld);
        stripe.Exit();
        _server.Run();
        Assert.Equal("+OK", client.Shown());
        Assert.False(stripe.IsHeld);
    }

    [Fact]
    public void AWaiterThatWithdrawsLeavesNothingBehind()
    {
        using SessionExecution execution = Needing(1, 3);
        Assert.True(Stripe(3).TryEnter());
        Assert.False(_server.Engine.Locks.TryEnterOrWait(execution));
        AssertHeld(3);
        Assert.True(_server.Engine.Locks.TryWithdraw(execution));
        Assert.False(_server.Engine.Locks.TryWithdraw(execution));
        Stripe(3).Exit();
        AssertHeld();
    }

    // Otherwise the results of all waiters of a stripe are in memory before the first is stored.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnExecutionWithABuiltResultIsWokenFirst(bool isBuilt)
    {
        TestClient earlier = _server.Connect();
        TestClient later = _server.Connect();
        StripeLock stripe = StripeOf("k");
        Assert.True(stripe.TryEnter());
        earlier.Send("APPEND", "k", "a");
        _server.Run();
        later.Send("APPEND", "k", "b");
        _server.Run();
        // As if the later one had come back from the lane.
        SessionExecution execution = later.Session!.Suspended!;
        Assert.True(_server.Engine.Locks.TryWithdraw(execution));
        if (isBuilt)
            Build(execution);
        Assert.False(_server.Engine.Locks.TryEnterOrWait(execution));
        // APPEND has built nothing.
        execution.EndSteps();
        stripe.Exit();
        _server.Run();
        Assert.Equal(isBuilt ? ":2" : ":1", earlier.Shown());
        Assert.Equal(isBuilt ? ":1" : ":2", later.Shown());
    }

    [Fact]
    public void AWaiterThatHoldsTheTokenGivesItBackWhenItWithdraws()
    {
        using SessionExecution first = Needing(1, 3);
        using SessionExecution second = Needing(1, 3);
        Assert.True(Stripe(3).TryEnter());
        _clock.Step = 2_000_000;
        Escalate(first);
        AssertHeld(1, 3);
        Assert.True(_server.Engine.Locks.TryWithdraw(first));
        AssertHeld(3);
        Escalate(second);
        Assert.True(_server.Engine.Locks.TryWithdraw(second));
        Stripe(3).Exit();
        AssertHeld();
        Assert.True(Stripe(1).TryEnter());
        Stripe(1).Exit();
    }

    public void Dispose() => _server.Dispose();

    // Two failures more than the longest wait apart: the second takes the token, which keeps what it has.
    private void Escalate(SessionExecution execution)
    {
        Assert.False(_server.Engine.Locks.TryEnterOrWait(execution));
        Assert.True(Stripe(3).TryRemoveWaiter(execution));
        Assert.False(_server.Engine.Locks.TryEnterOrWait(execution));
        Assert.True(execution.HoldsToken);
    }

    private SessionExecution Needing(params int[] stripes)
    {
        var execution = new SessionExecution(_server.Engine.Loops[0], 1);
        foreach (int stripe in stripes)
            execution.Stripes.Add(stripe);
        return execution;
    }

    private StripeLock Stripe(int index) => _server.Engine.Keyspace.Stripes[index].Lock;

    private StripeLock StripeOf(string key) => _server.Engine.Keyspace.StripeOf(
        _server.Engine.Keyspace.Hash(System.Text.Encoding.ASCII.GetBytes(key))).Lock;

    private void AssertHeld(params int[] expected)
    {
        for (int index = 0; index < _server.Engine.Keyspace.Stripes.Length; index++)
            Assert.Equal(Array.IndexOf(expected, index) >= 0, Stripe(index).IsHeld);
    }

    private sealed class ScriptedClock : Clock
    {
        private readonly ManualClock _clock = new();

        /// <summary>Runs once, at the next read of the monotonic clock.</summary>
        public Action? Script { get; set; }

        private int _lookCount;

        /// <summary>Nanoseconds between two looks.</summary>
        public long Step { get; set; }

        public void ScriptAfter(int lookCount, Action script)
        {
            _lookCount = lookCount - 1;
            Script = script;
        }

        public override long UnixMicroseconds => _clock.UnixMicroseconds;

        public override long MonotonicNanoseconds
        {
            get
            {
                if (_lookCount-- <= 0)
                {
                    Action? script = Script;
                    Script = null;
                    script?.Invoke();
                }

                _clock.Advance(Step / 1000);
                return _clock.MonotonicNanoseconds;
            }
        }
    }

    private static void Build(SessionExecution execution)
    {
        execution.StoreLater(new NoSteps());
        execution.EnterPhase(StorePhase.Building);
        execution.EnterPhase(StorePhase.Built);
    }

    private sealed class NoSteps : StoreSteps
    {
        public override bool TryBuild(Execution execution) => true;

        public override void Store(Execution execution) => Assert.Fail("nothing is stored");

        public override void Drop()
        {
        }
    }
}

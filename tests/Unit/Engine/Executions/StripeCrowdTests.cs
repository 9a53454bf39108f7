using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>
/// Many more clients than a release wakes wait for few stripes, and something else happens to the woken ones:
/// they need another stripe first, are killed, held by a pause, refused, or gone. Whenever all is quiet no
/// client waits for a free stripe, and in the end all remaining ones have their replies.
/// </summary>
public sealed class StripeCrowdTests
{
    private const int RoundCount = 10;
    private const int StepCount = 4_000;
    private const int LoopCount = 3;
    private const int ClientCount = 5 * StripeLock.WokenCountMax;
    private const int KeyCount = 4;
    private const int AwaitedCountMax = 3;
    private const int HeldCountMax = 3;
    private const int EndRoundCount = 5;
    private const int AdvanceUsMax = 200;
    private const int CronUs = 150_000;
    private const long SecondUs = 1_000_000;

    [Fact]
    public void EveryWaiterIsWoken() => Seeded.Run(RoundCount, static seed => new Crowd(seed).Run());

    private sealed class Crowd
    {
        private readonly ManualClock _clock = new();
        private readonly TestServer _server;
        private readonly TestClient[] _clients = new TestClient[ClientCount];
        private readonly int[] _awaitedCounts = new int[ClientCount];
        private readonly List<StripeLock> _held = [];
        private readonly List<Session> _sessions = [];
        private RandomSource _random;

        public Crowd(ulong seed)
        {
            _random = new RandomSource(seed);
            long costNsMax = Below(2) == 0 ? -1 : Execution.LoopCostNsDefault;
            string overdueMs = Below(2) == 0 ? "0" : "1";
            _server = new TestServer(costNsMax, LoopCount, _clock, ("busy-reply-threshold", overdueMs));
            for (int index = 0; index < ClientCount; index++)
                Connect(index);
        }

        public void Run()
        {
            for (int step = 0; step < StepCount; step++)
            {
                Step(Below(100));
                Collect();
            }

            while (_held.Count > 0)
            {
                Release();
                Rest();
            }

            // A pause ends with the time.
            for (int round = 0; round < EndRoundCount; round++)
            {
                _clock.Advance(SecondUs);
                Rest();
            }

            Assert.All(_awaitedCounts, static count => Assert.Equal(0, count));
            Assert.DoesNotContain(_server.Engine.Keyspace.Stripes.ToArray(), static one => one.Lock.IsHeld);
            _server.Dispose();
        }

        // All is quiet: a client that still waits needs a stripe that is held, or that the token's holder has
        // reserved.
        private void Rest()
        {
            _server.Run();
            Collect();
            if (_sessions.Exists(static one => one.Suspended is { HoldsToken: true }))
                return;
            foreach (Session session in _sessions)
            {
                if (session.Suspended is { StripeWaited: >= 0 and var stripe })
                    Assert.True(_server.Engine.Keyspace.Stripes[stripe].Lock.IsHeld);
            }
        }

        private void Step(int choice)
        {
            int index = Below(ClientCount);
            if (choice < 40 && _awaitedCounts[index] < AwaitedCountMax)
                Ask(index);
            else if (choice < 75)
                _server.TurnLoop(Below(LoopCount));
            else if (choice < 83)
                _server.StepSlowLane();
            else if (choice < 88)
                Hold();
            else if (choice < 93)
                Release();
            else if (choice < 96)
                _clock.Advance(Below(Below(20) == 0 ? CronUs : AdvanceUsMax));
            else if (choice < 98)
                Rest();
            else
            {
                _clients[index].Disconnect();
                Connect(index);
            }
        }

        private void Ask(int index)
        {
            int choice = Below(1000);
            if (choice < 400)
                Send(index, "APPEND", Key(), "x");
            else if (choice < 800)
                Send(index, "MSET", Key(), "1", Key(), "2");
            else if (choice < 900)
                Send(index, "DEL", Key(), Key(), Key());
            else if (choice < 950)
                Send(index, "KEYS", "*");
            else if (choice < 970)
            {
                Send(index, "MULTI");
                Send(index, "SET", Key(), "3");
                Send(index, "EXISTS", Key());
                Send(index, "EXEC");
            }
            else if (choice < 975)
                Send(index, "FLUSHALL", "ASYNC");
            else if (choice < 978)
                Send(index, "CLIENT", "PAUSE", "1", "WRITE");
            else
                Send(index, "CLIENT", "KILL", "ID", Id(Below(ClientCount)));
        }

        private void Send(int index, params string[] words)
        {
            _clients[index].Send(words);
            _awaitedCounts[index]++;
        }

        private void Connect(int index)
        {
            _clients[index] = _server.Connect(Below(LoopCount));
            _sessions.Add(_clients[index].Session!);
            _awaitedCounts[index] = 0;
        }

        private void Collect()
        {
            for (int index = 0; index < ClientCount; index++)
            {
                _awaitedCounts[index] -= _clients[index].Take().Count;
                if (_clients[index].IsClosed)
                    Connect(index);
            }
        }

        private void Hold()
        {
            ulong hash = _server.Engine.Keyspace.Hash(Encoding.ASCII.GetBytes(Key()));
            StripeLock stripe = _server.Engine.Keyspace.StripeOf(hash).Lock;
            if (_held.Count < HeldCountMax && stripe.TryEnterSpinning(1))
                _held.Add(stripe);
        }

        private void Release()
        {
            if (_held.Count == 0)
                return;
            int index = Below(_held.Count);
            _held[index].Exit();
            _held.RemoveAt(index);
        }

        private string Id(int index) => _clients[index].Session!.Id.ToString(CultureInfo.InvariantCulture);

        private string Key() => $"key{Below(KeyCount)}";

        private int Below(int end) => (int)_random.NextBelow((ulong)end);
    }
}

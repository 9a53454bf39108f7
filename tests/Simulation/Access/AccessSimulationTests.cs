using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Cinnabar.Commands;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Simulation.Access;

/// <summary>While an administrator changes a user's rules, its connections, on any loops, in transactions,
/// scripts, blocked and subscribed, never get more than the rules that were answered.</summary>
public sealed class AccessSimulationTests
{
    private const int StepCount = 4000;
    private const int DrainStepCount = 2000;
    private const int ClientCount = 5;
    private const int CanarySeedCount = 20;
    private const string Library = "#!lua name=guarded\nredis.register_function('both', function(keys, args) "
        + "return {redis.pcall('get', args[1]), redis.pcall('set', args[2], 'v')} end)";

    [Fact]
    public void NobodyGetsMoreThanItsRules()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 8);
        (long allowedCount, long deniedCount) = (0, 0);
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            (long allowed, long denied) = new Run(seed, isEarly: false).Play();
            (allowedCount, deniedCount) = (allowedCount + allowed, deniedCount + denied);
        });
        TestContext.Current.TestOutputHelper?.WriteLine($"{allowedCount} allowed, {deniedCount} denied");
        Assert.True(allowedCount > 0 && deniedCount > 0);
    }

    /// <summary>The canary: where a change is taken for answered when it is sent, clients must be found that
    /// still get what it forbids.</summary>
    [Fact]
    public void RightsOfBeforeTheChangeAreFound()
    {
        for (ulong seed = 1; seed <= CanarySeedCount; seed++)
        {
            try
            {
                new Run(seed, isEarly: true).Play();
            }
            catch (InvalidDataException)
            {
                return;
            }
        }

        Assert.Fail($"{CanarySeedCount} seeds have not found what was broken on purpose.");
    }

    private sealed class Run
    {
        private readonly bool _isEarly;
        private readonly Random _random;
        private readonly SimulatedServer _server;
        private readonly RuleHistory _rules;
        private readonly Dictionary<string, int> _tokens = [];
        private readonly Line[] _lines = new Line[ClientCount];
        private readonly Line _admin;
        private readonly Line _feeder;
        private readonly Queue<Action<RespValue>> _adminSent = new();
        private readonly RestrictedClient[] _clients = new RestrictedClient[ClientCount];
        private int _connectionCount;
        private int _feederSentCount;
        private (long Allowed, long Denied) _ended;

        public Run(ulong seed, bool isEarly)
        {
            _isEarly = isEarly;
            _random = new Random((int)seed);
            _server = new SimulatedServer(
                seed, new SimulationOptions(), [-1, Execution.LoopCostNsDefault], disk: null);
            _rules = new RuleHistory(_random);
            _admin = Open(reply => _adminSent.Dequeue()(reply));
            _feeder = Open(_ => _feederSentCount--);
            SendAdmin(static _ => { }, "FUNCTION", "LOAD", Library);
            for (int index = 0; index < ClientCount; index++)
                Connect(index);
        }

        public (long Allowed, long Denied) Play()
        {
            for (int step = 0; step < StepCount; step++)
            {
                Step(_random.Next(ClientCount));
                _server.CheckLog();
                ReceiveAll();
            }

            Drain();
            _server.CloseAll();
            _server.DisposeAndCheck();
            for (int index = 0; index < ClientCount; index++)
                End(index);
            return _ended;
        }

        private void Step(int client)
        {
            switch (_random.Next(14))
            {
                case 0 or 1 or 2:
                    Ask(client);
                    break;
                case 3 or 4 or 5:
                    Line[] lines = [.. _lines, _admin, _feeder];
                    Deliver(lines[_random.Next(lines.Length)], _random.Next(2) == 0 ? 1 << 20 : 64);
                    break;
                case 6 or 7 or 8:
                    _server.TryTurn(_server.RandomLoop());
                    break;
                case 9:
                    _server.DrainSome(1 + _random.Next(2000));
                    break;
                case 10:
                    _server.RunSlowLane();
                    break;
                case 11:
                    ChangeRules();
                    break;
                case 12:
                    Feed();
                    break;
                default:
                    if (_random.Next(3) == 0)
                        _server.HoldStripe();
                    else
                        _server.ReleaseStripe();
                    _server.Clock.Advance(_random.Next(3000));
                    break;
            }
        }

        private void Ask(int client)
        {
            if (_lines[client].Connection.IsClosed || _clients[client].IsRefused)
                Connect(client);
            else
                _clients[client].Ask();
        }

        private void ChangeRules()
        {
            if (_adminSent.Count > 2 || _random.Next(3) != 0)
                return;
            string[] words = _rules.Next("user");
            int version = _rules.Sent;
            if (_isEarly)
                _rules.Answered = version;
            SendAdmin(reply =>
            {
                if (reply.Kind == '-')
                    throw new InvalidDataException($"{string.Join(' ', words)} got {reply}");
                _rules.Answered = version;
            }, words);
        }

        private void Feed()
        {
            string token = $"t{_tokens.Count}";
            _tokens.Add(token, _rules.Answered);
            int subject = _random.Next(RuleHistory.SubjectCount);
            string[] words = _random.Next(2) == 0
                ? ["RPUSH", $"l{subject}", token] : ["PUBLISH", $"c{subject}", token];
            _feeder.Connection.Inbound.AddRange(RespClient.Encode(words));
            _feederSentCount++;
        }

        private void SendAdmin(Action<RespValue> accept, params string[] words)
        {
            _admin.Connection.Inbound.AddRange(RespClient.Encode(words));
            _adminSent.Enqueue(accept);
        }

        private void Connect(int index)
        {
            End(index);
            RestrictedClient? client = null;
            Line line = Open(reply => client!.Accept(reply));
            client = new RestrictedClient(
                line.Connection.Inbound.AddRange, new Random(_random.Next()), _rules, _tokens);
            (_lines[index], _clients[index]) = (line, client);
        }

        private void End(int index)
        {
            if (_clients[index] is not { } client)
                return;
            _ended.Allowed += client.AllowedCount;
            _ended.Denied += client.DeniedCount;
            if (_clients[index].IsRefused && !_lines[index].Connection.IsClosed)
                _server.Vanish(_lines[index].Connection);
        }

        private Line Open(Action<RespValue> accept)
        {
            string address = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{++_connectionCount}");
            return new Line(_server.Transports[_server.RandomLoop()].Open(address), accept);
        }

        private void Deliver(Line line, int byteCountMax)
        {
            if (!line.Connection.IsClosed)
                _server.Deliver(line.Connection, byteCountMax);
        }

        private void ReceiveAll()
        {
            foreach (Line line in (Line[])[.. _lines, _admin, _feeder])
                line.Receive();
        }

        private void Drain()
        {
            _server.ReleaseStripes();
            int doneCount = 0;
            for (int step = 0; step < DrainStepCount && doneCount < 3; step++)
            {
                doneCount = IsDone() ? doneCount + 1 : 0;
                _server.Clock.Advance(5000);
                foreach (Line line in (Line[])[.. _lines, _admin, _feeder])
                    Deliver(line, 1 << 20);
                _server.RunAll();
                _server.RunSlowLane();
                ReceiveAll();
            }

            // Not asked once more: the time may just have come of what a loop does now and then.
            if (doneCount < 3)
                throw new InvalidDataException("Requests were forgotten.");
        }

        private bool IsDone()
        {
            for (int index = 0; index < ClientCount; index++)
            {
                if (_clients[index].SentCount > 0 && !_lines[index].Connection.IsClosed)
                    return false;
            }

            return _server.IsQuiet && _adminSent.Count == 0 && _feederSentCount == 0;
        }
    }

    /// <summary>A connection and who reads what comes.</summary>
    private sealed class Line(SimulatedConnection connection, Action<RespValue> accept)
    {
        private int _parsed;

        public SimulatedConnection Connection { get; } = connection;

        public void Receive()
        {
            Span<byte> bytes = CollectionsMarshal.AsSpan(Connection.Outbound);
            while (_parsed < bytes.Length && RespParser.TryParse(bytes, ref _parsed) is { } reply)
                accept(reply);
            if (_parsed != bytes.Length)
                return;
            Connection.Outbound.Clear();
            _parsed = 0;
        }
    }
}

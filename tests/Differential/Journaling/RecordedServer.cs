using System;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Durability;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>A server with several loops and clients whose executions are recorded, and what a replay makes of
/// the record. It is in this process: its clock moves between commands as a seed says, so that keys end at
/// the same commands in each run, and the record is replayed at the very same moment.</summary>
internal sealed class RecordedServer : IDisposable
{
    private const int LoopCount = 3;
    private const int ClientCount = 5;
    private const int OutstandingMax = 3;
    private const int StepUsMax = 20_000;

    // Thresholds so small that every encoding is crossed.
    private static readonly (string, string)[] s_configuration =
    [
        ("enable-debug-command", "yes"), ("hash-max-listpack-entries", "6"),
        ("hash-max-listpack-value", "24"), ("zset-max-listpack-entries", "6"),
        ("zset-max-listpack-value", "24"), ("set-max-intset-entries", "5"),
        ("set-max-listpack-entries", "8"), ("list-max-listpack-size", "5"), ("stream-node-max-entries", "4"),
    ];

    private readonly ManualClock _clock = new();
    private readonly TestServer _server;
    private readonly TestClient[] _clients;
    private readonly int[] _outstanding = new int[ClientCount];
    private readonly Random _random;

    /// <summary>Makes one.</summary>
    /// <param name="random">What it chooses by.</param>
    /// <param name="level">The commands that may be recorded.</param>
    public RecordedServer(Random random, CommandLevel level)
    {
        _random = random;
        // Some runs have most commands in the slow lane.
        long loopCostNsMax = random.Next(2) == 0 ? 2_000 : Commands.Execution.LoopCostNsDefault;
        _server = new TestServer(loopCostNsMax, LoopCount, _clock, s_configuration);
        _clients = [.. Enumerable.Range(0, ClientCount).Select(index => _server.Connect(index % LoopCount))];
        Journal = RecordingJournal.Of(_server);
        _server.Engine.Keyspace.Recording.Level = level;
        Probe = _server.Connect();
    }

    /// <summary>The record.</summary>
    public RecordingJournal Journal { get; }

    /// <summary>A client that does not wait.</summary>
    public TestClient Probe { get; }

    /// <summary>Sends a command from one of the clients; it may be run with others later, and time may pass
    /// after it.</summary>
    public void Send(string[] words)
    {
        int index = _random.Next(ClientCount);
        if (_outstanding[index] >= OutstandingMax)
            Settle(index);
        _clients[index].Send(words);
        _outstanding[index]++;
        // The commands that run in the turn after a step meet what ended meanwhile.
        if (_random.Next(4) != 0)
            return;
        _server.Turn();
        if (_random.Next(2) == 0)
            _clock.Advance(_random.Next(StepUsMax));
    }

    /// <summary>Runs until nothing is left to do: no key is past its deadline then.</summary>
    public void Settle()
    {
        for (int index = 0; index < ClientCount; index++)
        {
            Settle(index);
            // What a queued command would do is not recorded.
            _clients[index].Call("DISCARD");
        }
    }

    /// <summary>Another server with what the replay of the record makes.</summary>
    public TestServer Replay(out long errorCount)
    {
        var other = new TestServer(1, _clock, s_configuration);
        using var replay = new CommandReplay(other.Engine);
        using var text = new MemoryStream(Journal.TextFrom());
        var reader = new RespReader(text);
        while (text.Position < text.Length)
        {
            byte[][] words = [.. reader.Read().Items.Select(item => item.Bytes)];
            using var arguments = new NativeArguments(other.Engine.Keyspace, words);
            Assert.True(replay.TryReplay(arguments.List));
        }

        errorCount = replay.ErrorCount;
        return other;
    }

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();

    // A client may wait for keys for ever: then it has waited long enough.
    private void Settle(int index)
    {
        _server.Run();
        for (TestClient client = _clients[index]; ;)
        {
            _outstanding[index] -= client.Take().Count;
            if (_outstanding[index] == 0)
                return;
            Probe.Call("CLIENT", "UNBLOCK", $"{client.Session!.Id}");
        }
    }
}

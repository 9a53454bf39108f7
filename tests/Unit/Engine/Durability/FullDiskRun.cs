using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Engine.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>
/// A server with an append-only file whose units each append their number to a list and overwrite a large
/// value. A disk that has lost power must have the list's first numbers: all that the server counts as
/// durable at that moment, which is what it lets replies leave by with "always".
/// </summary>
internal sealed class FullDiskRun : IDisposable
{
    private const int RepliesPerUnit = 4;
    private const int ValueBytes = 1500;
    private const int StepUs = 100_000;

    private readonly ManualClock _clock = new();
    private readonly TestClient _client;
    private readonly TestClient _operator;
    private readonly List<string> _executed = [];
    private readonly List<long> _tails = [];
    private readonly Queue<string> _sent = [];
    private readonly List<DiskImage> _images = [];
    private readonly List<string> _history = [];
    private RandomSource _losses;
    private bool _isSynchronous;
    private int _synchronousCount;
    private int _number;
    private int _replyCount;

    internal FullDiskRun(ulong seed)
    {
        _losses = new RandomSource(seed);
        Server = Start(Files, _clock);
        _client = Server.Connect();
        _operator = Server.Connect();
        Files.Changing = IsDone;
    }

    internal SimulatedFileSystem Files { get; } = new();

    internal TestServer Server { get; }

    /// <summary>Whether an operation of the disk on a path fails; null: none does.</summary>
    internal Func<string, string, bool>? IsFailing { get; set; }

    internal int ExecutedCount => _executed.Count;

    internal int RefusedCount { get; private set; }

    /// <summary>Whether the server has ended itself, as it does with "always".</summary>
    internal bool HasEnded { get; private set; }

    private ServerJournal Journal => Server.Engine.Data.Journal;

    /// <summary>Sends a unit; it may be answered later.</summary>
    internal void Write()
    {
        string number = $"{_number++}";
        _sent.Enqueue(number);
        _client.Send("MULTI");
        _client.Send("RPUSH", "list", number);
        _client.Send("SET", "value", number.PadRight(ValueBytes));
        _client.Send("EXEC");
        Guarded(() => Server.TurnLoop(0));
    }

    /// <summary>Sends a unit that is not refused though the file cannot be written, as a command that had
    /// begun before would not be.</summary>
    internal void WriteNevertheless()
    {
        Server.Engine.DiskErrors.SetJournal(null);
        Write();
    }

    internal void Rewrite() => _operator.Send("BGREWRITEAOF");

    /// <summary>From now on a reply says that all up to its unit is durable.</summary>
    internal void SetAlways()
    {
        _operator.Send("CONFIG", "SET", "appendfsync", "always");
        Guarded(() => Server.TurnLoop(0));
        _isSynchronous = true;
    }

    internal string Info() => Server.Connect().Run("INFO persistence");

    /// <summary>Has time go on, a tenth of a second a step.</summary>
    internal void Turn(int steps)
    {
        for (int step = 0; step < steps && !HasEnded; step++)
        {
            Guarded(() =>
            {
                Server.TurnLoop(0);
                Server.StepSaver();
                _clock.Advance(StepUs);
                Journal.Step();
                Server.TurnLoop(0);
            });
        }
    }

    /// <summary>Looks at what each power loss would have left.</summary>
    internal void Check()
    {
        foreach (DiskImage image in _images)
            Check(image);
        _images.Clear();
    }

    /// <summary>Looks at what a kill would leave.</summary>
    internal void CheckAfterKill()
    {
        using TestServer server = Start(Files.AfterKill(), new ManualClock());
        Assert.Equal(_executed, Loaded(server));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Files.Changing = null;
        Server.Dispose();
    }

    private static TestServer Start(SimulatedFileSystem files, ManualClock clock)
    {
        TestServer server = TestServer.On(files, clock, ("appendonly", "yes"),
            ("aof-load-corrupt-tail-max-size", "1gb"), ("auto-aof-rewrite-percentage", "0"));
        Exception? fault = server.Load();
        Assert.True(fault is null, $"it does not start: {string.Join('\n', server.Log.Lines)}");
        return server;
    }

    private static string[] Loaded(TestServer server) =>
        [.. server.Connect().Call("LRANGE", "list", "0", "-1").Items.Select(static item => item.Text)];

    private void Guarded(Action action)
    {
        try
        {
            action();
            TakeReplies();
        }
        catch (InvalidOperationException) when (Server.Fault is not null)
        {
            HasEnded = true;
            Server.TakeFault();
        }
    }

    private void TakeReplies()
    {
        foreach (var reply in _client.Take())
        {
            // The last reply of a transaction says what became of it.
            if (++_replyCount % RepliesPerUnit != 0)
                continue;
            string number = _sent.Dequeue();
            if (reply.Kind == '*')
            {
                _executed.Add(number);
                _tails.Add(Journal.Tail);
                _synchronousCount = _isSynchronous ? _executed.Count : 0;
                continue;
            }

            Assert.StartsWith("EXECABORT", reply.Text, StringComparison.Ordinal);
            RefusedCount++;
        }
    }

    private int DurableCount => Math.Max(
        _synchronousCount, _tails.Count(tail => tail <= Journal.FlushedPosition));

    private bool IsDone(string operation, string path)
    {
        _images.Add(new DiskImage(
            Files.AfterPowerLoss(ref _losses), _history.Count, DurableCount, _number, SavedCount: 0));
        bool isFailing = IsFailing?.Invoke(operation, path) == true;
        _history.Add($"{System.IO.Path.GetFileName(path)} {operation}{(isFailing ? " fails" : "")} "
            + $"{DurableCount.ToString(CultureInfo.InvariantCulture)}");
        return !isFailing;
    }

    private void Check(DiskImage image)
    {
        try
        {
            using TestServer server = Start(image.Files, new ManualClock());
            string[] loaded = Loaded(server);
            Assert.True(loaded.Length >= image.DurableCount,
                $"{image.DurableCount} are durable, {loaded.Length} there");
            Assert.True(loaded.Length <= image.SentCount, "there are more than were sent");
            Assert.Equal(_executed.Take(image.DurableCount), loaded.Take(image.DurableCount));
        }
        catch (Exception fault)
        {
            throw new InvalidOperationException($"{fault.Message}, after:\n"
                + string.Join('\n', _history.Take(image.HistoryLength)), fault);
        }
    }
}

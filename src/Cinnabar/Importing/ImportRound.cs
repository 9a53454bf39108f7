// The import of one master for as long as its connections last:
//
//   events ─► scan: copy every key ─► purge: delete here what is not there ─► follow the events ─► finish
//                 ▲                                                                │
//                 └──────── FLUSHALL, FLUSHDB or SWAPDB there, which make no events ┘
//
// Events are received before the scan begins, so every change is either seen by the scan or copied after it.
// When the connection breaks the round is over, and the next one scans everything again: what changed
// meanwhile is copied, and what was deleted meanwhile is found by the purge.

using System.Linq;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Statistics;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Imports a master over connections of its own; one thread.</summary>
internal sealed class ImportRound : IDisposable
{
    private const string ScanCount = "512";
    private const int WaitMs = 50;
    private const int TickMs = 1000;
    private const int LogMs = 10_000;
    private const int SampleMs = 5000;
    private const int SampleCount = 32;
    private const int FinalSampleCount = 500;

    private readonly IImportTask _task;
    private readonly SourceNode _node;
    private readonly SourceLink _source;
    private readonly LocalLink _local;
    private readonly EventFeed _feed;
    private readonly KeyCopier _copier;
    private readonly SampleCheck _check;
    private readonly SourceChanges _changes;
    private readonly List<ImportKey> _moving = [];
    private ImportState _state = ImportState.Scanning;
    private long _scanned;
    private long _total;
    private long _copiedFromMs;
    private long _tick;
    private long _loggedTick;
    private long _sampledTick;

    /// <summary>Asks the master what it can do, and subscribes to its events.</summary>
    /// <param name="task">What it is part of.</param>
    /// <param name="node">The master.</param>
    /// <param name="source">A connection to it. The caller ends it, and so the round.</param>
    /// <param name="local">A connection to this server, as that one.</param>
    /// <exception cref="ImportException">It cannot be reached.</exception>
    public ImportRound(IImportTask task, SourceNode node, SourceLink source, LocalLink local)
    {
        (_task, _node, _source, _local) = (task, node, source, local);
        Abilities abilities = Abilities.Of(_source);
        _feed = new EventFeed(node.Address, task, SourceEvents.TryEnable(_source, node, task));
        _copier = new KeyCopier(_source, _local, abilities, task.Progress, task.Log) { Moved = Route };
        _check = new SampleCheck(_source, _local, abilities);
        _changes = new SourceChanges(_source);
        string method = abilities.CanDump ? "DUMP" : "the commands of its type";
        string events = _feed.HasEvents ? "its keyspace events are followed"
            : "it has no keyspace events for us: it is scanned again and again";
        Log($"keys are read from {node.Address} by {method}; {events}.");
    }

    /// <summary>Whether the functions are copied from this master.</summary>
    public required bool HasFunctions { get; init; }

    /// <summary>Whether everything was copied and the operator has ended the import.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>Whether all keys have been copied once.</summary>
    public bool HasScanned { get; private set; }

    /// <summary>Its queue of changed keys.</summary>
    public EventFeed Feed => _feed;

    /// <summary>Runs until the import has finished.</summary>
    /// <exception cref="ImportException">It cannot go on.</exception>
    public void Run()
    {
        CopyAll();
        while (!IsFinished)
        {
            if (_task.IsFinishing)
                Finish();
            else if (!_feed.HasEvents)
                Rest();
            else if (!TryCopyChanged())
                _feed.Wait(WaitMs);
            Tick();
            if (!IsFinished && (_changes.MustScan || !_feed.HasEvents))
                CopyAll();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _feed.Dispose();

    private static long NowMs => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    private void CopyAll()
    {
        // Where there are no events this is how a source is followed.
        if (!HasScanned || _feed.HasEvents)
            Enter(ImportState.Scanning);
        long fromMs = NowMs;
        _changes.Begin();
        if (HasFunctions)
            FunctionCopy.Run(_source, _local, _task.Log);
        CheckDatabases();
        (_scanned, _total) = (0, 0);
        ForEachDatabase(_ => _total += _source.Call("DBSIZE") is { IsError: false } size ? size.Integer : 0);
        ForEachDatabase(ScanDatabase);
        ForEachDatabase(PurgeDatabase);
        _task.Progress.AddScan();
        if (!HasScanned)
            Log($"{_scanned} keys were copied from {_node.Address}; now it is followed.");
        HasScanned = true;
        _copiedFromMs = fromMs;
        Enter(ImportState.Following);
        Report(Environment.TickCount64);
    }

    // A source with more databases than there are here cannot be copied whole.
    private void CheckDatabases()
    {
        foreach (string line in _source.Call("INFO", "keyspace").Text.Split('\n'))
        {
            if (line.StartsWith("db", StringComparison.Ordinal)
                && int.TryParse(line.AsSpan(2, Math.Max(0, line.IndexOf(':') - 2)), out int database))
                CheckDatabase(database);
        }
    }

    private void CheckDatabase(int database)
    {
        if (database >= _task.DatabaseCount)
        {
            throw new ImportException(string.Create(CultureInfo.InvariantCulture,
                $"{_node.Address} has keys in database {database}: start this server with --databases {
                    database + 1} or more"));
        }
    }

    // The databases that both servers have; of a cluster's master only the first.
    private void ForEachDatabase(Action<int> action)
    {
        for (int database = 0; database < _task.DatabaseCount && _source.TrySelect(database); database++)
        {
            _local.Select(database);
            action(database);
        }
    }

    private void ScanDatabase(int database) => ForEachPage(_source, database, [], keys =>
    {
        for (int first = 0, count; first < keys.Count; first += count)
        {
            count = Math.Min(_copier.BatchCount, keys.Count - first);
            _copier.Copy(database, keys.GetRange(first, count));
            _scanned += count;
            TryCopyChanged();
            Tick();
        }
    });

    private void PurgeDatabase(int database) => ForEachPage(_local, database, [], keys =>
    {
        keys.RemoveAll(key => !_node.Owns(key));
        _source.Select(database);
        foreach (byte[] key in keys)
            _source.Add(CopiedValue.Word("TYPE"), key);
        _source.Send();
        keys.RemoveAll(_ => _source.Receive() is not { IsError: false, Text: "none" });
        if (keys.Count > 0)
            _copier.Copy(database, keys);
        TryCopyChanged();
        Tick();
    });

    // The keys of a database of either server, page by page.
    private static void ForEachPage(
        RespLink link, int database, string[] filter, Action<List<byte[]>> action)
    {
        string cursor = "0";
        do
        {
            link.Select(database);
            Reply reply = link.Call(["SCAN", cursor, "COUNT", ScanCount, .. filter]);
            if (reply.IsError)
                throw new ImportException($"{link} refuses SCAN: {reply.Text}");
            cursor = reply.Items[0].Text;
            if (reply.Items[1].Items.Count > 0)
                action([.. reply.Items[1].Items.Select(static key => key.Bytes)]);
        }
        while (cursor != "0");
    }

    private bool TryCopyChanged()
    {
        List<byte[]> keys = _feed.Take(_copier.BatchCount, out int database);
        if (keys.Count == 0)
            return false;
        CheckDatabase(database);
        if (_source.TrySelect(database))
            _copier.Copy(database, keys);
        _feed.Done(keys.Count);
        return true;
    }

    // A key of a slot that is being moved to another master is asked for again until its place is settled.
    private void Route(ImportKey key, string error)
    {
        if (error.StartsWith("ASK", StringComparison.Ordinal))
        {
            _moving.Add(key);
            return;
        }

        if (_task.TryRoute(key, error[(error.LastIndexOf(' ') + 1)..]))
            return;
        throw new ImportException($"{_node.Address} names a master that was not known: {error}");
    }

    private void Tick()
    {
        if (_feed.Fault is { } fault)
            throw new ImportException(fault);
        long tick = Environment.TickCount64;
        if (tick - _tick < TickMs && _tick != 0)
            return;
        _tick = tick;
        _changes.Look();
        if (_changes.MustCopyFunctions && HasFunctions)
            FunctionCopy.Run(_source, _local, _task.Log);
        _local.Call("PING");
        foreach (ImportKey key in _moving)
            _feed.Add(key);
        _moving.Clear();
        Report(tick);
        if (_state == ImportState.Following && _feed is { HasEvents: true, PendingCount: 0 }
            && tick - _sampledTick >= SampleMs)
            Sample(tick);
    }

    private void Report(long tick)
    {
        long syncedMs = _feed.HasEvents ? Math.Max(_feed.SyncedMs, _copiedFromMs) : _copiedFromMs;
        _task.Progress.Set(_node.Address.ToString(),
            new ImportProgress.Node(_state, _scanned, _total, _feed.PendingCount + _moving.Count,
                _state == ImportState.Scanning ? 0 : syncedMs));
        if (_state != ImportState.Scanning || tick - _loggedTick < LogMs)
            return;
        if (_loggedTick != 0)
            Log($"{_scanned} of about {_total} keys were copied from {_node.Address}.");
        _loggedTick = tick;
    }

    private void Sample(long tick)
    {
        _sampledTick = tick;
        ForEachDatabase(database =>
        {
            long checkedCount = 0;
            long repaired = 0;
            foreach (ImportKey key in _check.Choose(database, SampleCount))
            {
                bool? isSame = _check.IsSame(key);
                checkedCount += isSame is null ? 0 : 1;
                if (isSame != false)
                    continue;
                repaired++;
                _feed.Add(key);
            }

            _task.Progress.AddChecked(checkedCount, repaired, 0);
        });
    }

    // Without events a source is scanned all the time, with pauses.
    private void Rest()
    {
        for (int count = 0; count < TickMs / WaitMs && !_task.IsFinishing; count++)
            _feed.Wait(WaitMs);
    }

    // Everything that was changed before this moment is copied; and once more what changes without events:
    // the groups of streams, and functions.
    private void Finish()
    {
        long nowMs = NowMs;
        Log($"what has changed last at {_node.Address} is copied.");
        _changes.Look();
        if (!_feed.HasEvents || _changes.MustScan)
            CopyAll();
        while (_feed.SyncedMs < nowMs)
        {
            if (!TryCopyChanged())
                _feed.Wait(WaitMs);
            Tick();
        }

        if (_feed.HasEvents)
        {
            ForEachDatabase(database =>
                ForEachPage(_source, database, ["TYPE", "stream"], keys => CopyStreams(database, keys)));
        }

        if (HasFunctions)
            FunctionCopy.Run(_source, _local, _task.Log);
        (long same, long differing) = CompareLast();
        SourceEvents.Restore(_source, _node, _task);
        Log($"{_node.Address} is finished: of {same + differing} sampled keys {differing} differ.");
        Debug.Assert(_state == ImportState.Following, "a round finishes when everything was copied");
        IsFinished = true;
        Report(Environment.TickCount64);
    }

    private void CopyStreams(int database, List<byte[]> keys)
    {
        for (int first = 0, count; first < keys.Count; first += count)
        {
            count = Math.Min(_copier.BatchCount, keys.Count - first);
            _copier.Copy(database, keys.GetRange(first, count));
            Tick();
        }
    }

    private void Enter(ImportState state)
    {
        Debug.Assert(!IsFinished, "a finished round scans no more");
        Debug.Assert(state == ImportState.Scanning || (state == ImportState.Following
            && (_state == ImportState.Scanning || !_feed.HasEvents)), $"it goes from {_state} to {state}");
        _state = state;
    }

    private (long Same, long Differing) CompareLast()
    {
        long same = 0;
        long repaired = 0;
        List<ImportKey> different = [];
        ForEachDatabase(database =>
        {
            foreach (ImportKey key in _check.Choose(database, FinalSampleCount))
            {
                bool? isSame = _check.IsSame(key);
                same += isSame == true ? 1 : 0;
                if (isSame == false)
                    different.Add(key);
            }
        });
        foreach (ImportKey key in different.ToArray())
        {
            _copier.Copy(key.Database, [key.Name]);
            if (_check.IsSame(key) == false)
                continue;
            repaired++;
            different.Remove(key);
        }

        foreach (ImportKey key in different)
        {
            _task.Log.Write(LogLevel.Warning, "Import: the key '"
                + Encoding.Latin1.GetString(key.Name) + $"' of database {key.Database} differs.");
        }

        _task.Progress.AddChecked(same + repaired + different.Count, repaired, different.Count);
        return (same + repaired, different.Count);
    }

    private void Log(string message) => _task.Log.Write(LogLevel.Notice, "Import: " + message);
}

// Full synchronisations. Replicas that need all data wait until a snapshot is taken for them, together:
//
//   from memory   (repl-diskless-sync yes, and they find end marks) repl-diskless-sync-delay seconds after
//                 the first has come, or when repl-diskless-sync-max-replicas wait; a saver writes into a
//                 Payload
//   from a file   at once; the file is the server's own snapshot, and a thread reads it into a Payload; where
//                 the server keeps no data on its disk and rdb-del-sync-files is set, the cron removes it
//
// The moment is taken under all stripes, where the stream's offset names exactly what the data are: a
// replica's place in the stream begins there. Those that come while a snapshot is being saved wait for the
// next one.
//
// The version of the data: what a replica is known to read (REPLCONF version, which Redis does not send), and
// at most rdb-compatibility. Else the oldest version that can express all data, from 7.0 on: so a replica of
// Redis 7.0 can be fed for as long as nothing newer is used.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Memory;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform.Files;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Takes snapshots for replicas and sends them.</summary>
/// <param name="server">The server.</param>
/// <param name="replicas">Its replicas.</param>
/// <param name="pool">Where the blocks of the data come from.</param>
internal sealed class FullSynchronisation(
    IReplicationServer server, ReplicaSet replicas, SharedBlockPool pool)
{
    private const int ReadBytes = 256 << 10;

    private readonly IReplicationServer _server = server;
    private readonly ReplicaSet _replicas = replicas;
    private readonly SharedBlockPool _pool = pool;
    private readonly DataFiles _data = server.Data;
    private readonly Lock _lock = new();
    private readonly List<Payload> _payloads = [];
    private readonly List<Thread> _senders = [];
    private StoredSnapshot? _stored;

    /// <summary>Bytes of data that are on their way.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
            {
                long sum = 0;
                foreach (Payload payload in _payloads)
                    sum += payload.MemoryBytes;
                return sum;
            }
        }
    }

    /// <summary>Whether replicas get data that are in no file, and have not taken all.</summary>
    public bool IsStreaming
    {
        get
        {
            lock (_lock)
                return _payloads.Exists(static payload => !payload.IsStored);
        }
    }

    /// <summary>Begins what is due; on the first loop, some times a second.</summary>
    public void RunCron(long nowMs)
    {
        RemoveStored();
        if (IsDue(nowMs))
            AllStripes.TryRun(_server.Keyspace, () => BeginIfDue(nowMs));
    }

    /// <summary>Begins what is due. The caller holds all stripes.</summary>
    public void BeginIfDue(long nowMs)
    {
        if (IsDue(nowMs))
            Begin(nowMs);
    }

    /// <summary>Ends what is under way: the loops have ended. A saver that waits for replicas ends.</summary>
    public void End()
    {
        Payload[] payloads;
        Thread[] senders;
        lock (_lock)
            (payloads, senders) = ([.. _payloads], [.. _senders]);
        foreach (Payload payload in payloads)
            payload.Abandon();
        foreach (Thread sender in senders)
            sender.Join();
    }

    private bool IsDiskless => _server.Configuration.NumberOf("repl-diskless-sync") != 0;

    private bool IsDue(long nowMs)
    {
        if (_replicas.FirstWaiting is not { } first || _server.Gates.Has(ServerGates.AnyLoading))
            return false;
        if (first.Announcement.Parts.HasFlag(PayloadParts.Keys) && _data.Snapshots.IsBusy)
            return false;
        if (!IsDiskless || !first.Announcement.KnowsEndMarks)
            return true;
        long delayS = _server.Configuration.NumberOf("repl-diskless-sync-delay");
        long countMax = _server.Configuration.NumberOf("repl-diskless-sync-max-replicas");
        return nowMs - first.WaitingSinceMs >= delayS * 1000
            || (countMax > 0 && _replicas.WaitingCount >= countMax);
    }

    private void Begin(long nowMs)
    {
        ReplicaAnnouncement wanted = _replicas.FirstWaiting!.Announcement;
        Replica[] group = _replicas.TakeWaiting(wanted);
        RdbCompatibility level = LevelFor(wanted);
        // A file of an older version that cannot express all data would count as a save that failed.
        bool isStored = wanted.Parts == PayloadParts.All
            && (!wanted.KnowsEndMarks || (!IsDiskless && level >= _data.Writing.NeededLevel));
        bool isWithoutKeys = !wanted.Parts.HasFlag(PayloadParts.Keys);
        var payload = new Payload(_pool)
        {
            IsStored = isStored,
            IsBounded = _server.HasThreads && !isWithoutKeys,
            Ended = Forget,
        };
        lock (_lock)
            _payloads.Add(payload);
        // Old replicas do not read which database is selected.
        if (!_server.Keyspace.IsReplica)
            _data.Journal.Drain!.Mark();
        StoredMoment moment = _data.RdbFiles.Moment!() ?? throw new InvalidOperationException("no stream");
        ReplicationBacklog stream = _server.Replication.Backlog!;
        payload.Begin(group);
        foreach (Replica replica in group)
        {
            string note = replica.IsPsync ? string.Create(
                CultureInfo.InvariantCulture, $"+FULLRESYNC {moment.Id} {moment.Offset}\r\n") : "";
            replica.BeginTransfer(
                payload, payload.AddReader(), stream.TryAddReader(moment.Offset)!, note);
        }

        string target = isStored ? "disk" : "replicas sockets";
        Log(LogLevel.Notice, $"Starting BGSAVE for SYNC with target: {target}");
        if (isStored)
            Store(payload, level);
        else if (isWithoutKeys)
            WriteWithoutKeys(payload, wanted, level);
        else
            Stream(payload, level);
    }

    private RdbCompatibility LevelFor(ReplicaAnnouncement wanted)
    {
        var most = (RdbCompatibility)Math.Min((int)_data.Writing.Compatibility, (int)wanted.LevelMax);
        return wanted.ReadsNewest ? most
            : (RdbCompatibility)Math.Min((int)most, (int)_data.Writing.NeededLevel);
    }

    private void Stream(Payload payload, RdbCompatibility level)
    {
        var output = new PayloadOutput(payload, RandomIdentifier.New());
        SnapshotJob? job = null;
        payload.Abandoned = () =>
        {
            Log(LogLevel.Warning, "Diskless rdb transfer, last replica dropped, ending it.");
            job?.Cancel();
        };
        job = _data.Snapshots.Begin(SnapshotKind.Replicas, cancellation => new RdbFileSnapshot(
            output, _data.RdbFiles.Options(cancellation, level: level) with { IsFlushedOnTheWay = false },
            _data.RdbFiles.Notes())
        {
            Functions = _server.Libraries.Current.Stored,
        }, Settle);
        Log(LogLevel.Notice, $"Background RDB transfer started by pid {Environment.ProcessId}");
    }

    private void Settle(SnapshotJob job)
    {
        _data.Saves.NoteTransfer(job);
        if (job.IsSaved)
            Log(LogLevel.Notice, "Background RDB transfer terminated with success");
        else if (job.Fault is { } fault)
            Log(LogLevel.Warning, $"Background transfer error: {fault.Message}");
        else
            Log(LogLevel.Notice, "Background RDB transfer cancelled");
    }

    private void WriteWithoutKeys(Payload payload, ReplicaAnnouncement wanted, RdbCompatibility level)
    {
        var output = new PayloadOutput(payload, RandomIdentifier.New());
        var file = new RdbFileSnapshot(
            output, _data.RdbFiles.Options(default, level: level) with { IsFlushedOnTheWay = false },
            _data.RdbFiles.Notes())
        {
            Functions = wanted.Parts.HasFlag(PayloadParts.Functions)
                ? _server.Libraries.Current.Stored : [],
        };
        try
        {
            file.Begin([]);
            file.End();
        }
        catch (RdbInexpressibleException lack)
        {
            Log(LogLevel.Warning, $"Background transfer error: {lack.Message}");
        }
        finally
        {
            file.Discard();
        }
    }

    private void Store(Payload payload, RdbCompatibility level)
    {
        StoredSnapshot stored = default;
        _data.Saves.Begin(SaveKind.Background, isSaved =>
        {
            if (!isSaved)
            {
                payload.Fail();
                return;
            }

            lock (_lock)
                _stored = stored;
            if (_server.HasThreads)
                StartSender(payload, stored.Path);
            else
                Send(payload, stored.Path);
        }, level: level);
        stored = new StoredSnapshot(_data.Saves.CurrentPath, _data.Saves.FileCount);
    }

    // A save that began later may have taken the file's name: that file is not only the replicas'.
    private void RemoveStored()
    {
        StoredSnapshot stored;
        lock (_lock)
        {
            if (_stored is null || _payloads.Exists(static payload => payload.IsStored))
                return;
            stored = _stored.Value;
            _stored = null;
        }

        if (stored.FileCount == _data.Saves.FileCount)
            _data.SynchronisationFiles.Remove(stored.Path,
                "Removing the RDB file used to feed replicas in a persistence-less instance");
    }

    private void StartSender(Payload payload, string path)
    {
        var sender = new Thread(() => Send(payload, path)) { Name = "cinnabar-sync", IsBackground = true };
        sender.Start();
        lock (_lock)
        {
            _senders.RemoveAll(static one => !one.IsAlive);
            _senders.Add(sender);
        }
    }

    // The file stays what it is, whatever takes its name meanwhile.
    private void Send(Payload payload, string path)
    {
        try
        {
            using StoredFile file = _data.Files.Open(path, FileUse.Read);
            long length = file.Length;
            payload.Append(Encoding.ASCII.GetBytes(
                string.Create(CultureInfo.InvariantCulture, $"${length}\r\n")));
            byte[] bytes = new byte[ReadBytes];
            for (long offset = 0; offset < length;)
            {
                int count = file.Read(offset, bytes);
                if (count == 0)
                    throw new IOException("the file has become shorter");
                payload.Append(bytes.AsSpan(0, (int)Math.Min(count, length - offset)));
                offset += count;
            }

            payload.Complete();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            Log(LogLevel.Warning, $"Read error sending DB to replica: {fault.Message}");
            payload.Fail();
        }
    }

    private void Forget(Payload payload)
    {
        lock (_lock)
            _payloads.Remove(payload);
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}

// The journal of a running server: the ring that executions append to, what drains it, the append-only file,
// and the rule which replies may leave. It records while there is a file or a stream for replicas.
//
// A loop asks Settle before it gives bytes to a socket. Every write that a reply can show was claimed in the
// ring before its stripes were released, so what the ring's tail is at that moment covers the reply,
// whichever stripes it read:
//
//   everysec, no   all up to the tail is written first: an acknowledged write survives a kill -9, unless the
//                  file is being flushed just then (AofWriter). While the next file is being opened, the
//                  bytes are kept until what they show is in it
//   always         the bytes are kept (OutputQueue) until all up to the tail is durable

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Persistence.Journal;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Journaling;

/// <summary>The journal, on or off.</summary>
internal sealed class ServerJournal : IAofObserver, IDisposable
{
    private readonly JournalSurroundings _server;
    private readonly ConfigurationRegistry _configuration;
    private readonly Clock _clock;
    private JournalRing? _ring;
    private JournalDrain? _drain;
    private AofWriter? _writer;
    private AofSync? _sync;
    private volatile bool _isOn;
    private volatile bool _isRecording;
    private IJournalSink? _stream;
    private volatile bool _isSynchronous;
    private volatile bool _isFlushHeldBySaves;
    private volatile string? _error;
    private long _writeUs;

    /// <summary>Makes a journal, which is off.</summary>
    public ServerJournal(JournalSurroundings server)
    {
        _server = server;
        _configuration = server.Configuration;
        _clock = server.Clock;
        _configuration.Subscribe("appendfsync", FollowPolicy);
        _configuration.Subscribe("aof-timestamp-enabled", FollowPolicy);
        _configuration.Subscribe("no-appendfsync-on-rewrite", FollowPolicy);
    }

    /// <summary>Whether there is a file.</summary>
    public bool IsOn => _isOn;

    /// <summary>Whether executions are recorded: for the file, for replicas, or both.</summary>
    public bool IsRecording => _isRecording;

    /// <summary>The error of the last write or flush, in the system's words; null: none fails.</summary>
    public string? Error => _error;

    /// <summary>The files; null before the journal is on.</summary>
    public AofFiles? Files { get; private set; }

    /// <summary>The writer of the file; null before the journal is on.</summary>
    public AofWriter? Writer => _writer;

    /// <summary>What drains the journal; null before the journal is on.</summary>
    public JournalDrain? Drain => _drain;

    /// <summary>The ring; null before the journal is on.</summary>
    public JournalRing? Ring => _ring;

    /// <inheritdoc/>
    public bool IsSaving => _server.IsSaving();

    /// <summary>What is done when a switch to the next file has been tried, with whether it
    /// succeeded.</summary>
    public Action<bool>? SwitchTried { get; set; }

    /// <summary>What is done, again and again, while a switch is stuck (<see cref="AofWriter"/>); on the
    /// thread of the file.</summary>
    public Action? SwitchStuck { get; set; }

    /// <summary>Switches on: everything is recorded from now on. The caller holds all stripes, or no loop
    /// runs yet.</summary>
    /// <param name="files">The files.</param>
    /// <param name="file">The file that the journal goes on with.</param>
    /// <param name="hasThread">Whether a thread of its own makes the file durable.</param>
    public void Begin(AofFiles files, StoredFile file, bool hasThread)
    {
        Debug.Assert(!_isOn, "the journal is on");
        JournalRing ring = MakeRing();
        Files = files;
        _writer = new AofWriter(_clock, this) { SleepUs = SleepUs };
        _writer.Open(file, ring.Tail);
        _sync = new AofSync(ring, _drain!, _writer, files, _clock)
        {
            IsPaused = () => _isFlushHeldBySaves && IsSaving,
            DurableAdvanced = DurableAdvanced,
            SwitchTried = isDone => SwitchTried?.Invoke(isDone),
            SwitchStuck = () => SwitchStuck?.Invoke(),
        };
        _writer.Switched = _sync.RequestSwitch;
        _drain!.Add(_writer);
        NoteTime();
        FollowPolicy();
        _isOn = true;
        Record();
        if (hasThread)
            _sync.Start();
    }

    /// <summary>Switches off: writes and makes durable what there is. The caller holds all stripes, or no
    /// loop runs any more.</summary>
    /// <returns>Null, or the system's text for what failed.</returns>
    public string? End()
    {
        if (!_isOn)
            return null;
        if (_stream is null)
            StopRecording();
        _drain!.DrainTo(_ring!.Tail);
        _sync!.Dispose();
        _sync = null;
        _drain.Remove(_writer!);
        string? error = _writer!.Close();
        _isOn = false;
        _isSynchronous = false;
        // A rewrite that has not come to its switch must not wait for it.
        SwitchTried?.Invoke(false);
        _server.DurableAdvanced();
        return error;
    }

    /// <summary>Gives all that is recorded from now on to replicas, too. The caller holds all stripes, or no
    /// loop runs yet.</summary>
    public void AttachStream(IJournalSink stream)
    {
        Debug.Assert(_stream is null, "there is one stream");
        MakeRing();
        _stream = stream;
        _server.Recording.HasReplicas = true;
        _drain!.Add(stream);
        NoteTime();
        Record();
    }

    /// <summary>Ends that: the stream has been given all that was recorded. The caller holds all
    /// stripes.</summary>
    public void DetachStream()
    {
        Debug.Assert(_stream is not null, "there is no stream");
        if (!_isOn)
            StopRecording();
        _drain!.Remove(_stream);
        _stream = null;
        _server.Recording.HasReplicas = false;
    }

    /// <summary>Appends a command for replicas; nothing where there are none.</summary>
    public void AppendForReplicas(ReadOnlySpan<byte> command)
    {
        if (_stream is not null)
            _ring!.AppendFor(JournalAudience.Replicas, command);
    }

    /// <summary>Gives replicas what no reply has had to wait for: keys that expired or were evicted, changes
    /// of clients that want no replies. At the end of a turn.</summary>
    public void DrainForReplicas()
    {
        if (_stream is not null)
            DrainAll();
    }

    /// <summary>Gives the sinks what no reply has had to wait for.</summary>
    public void DrainAll()
    {
        if (_isRecording && _drain!.Position < _ring!.Tail)
            _drain.DrainTo(_ring.Tail);
    }

    /// <summary>Does what the thread would; where there is none.</summary>
    /// <returns>Whether anything has become durable.</returns>
    public bool Step() => _sync?.Step() == true;

    /// <summary>Returns when the file has all that was recorded. The caller holds all stripes, so that
    /// nothing is added meanwhile.</summary>
    /// <returns>Null, or the system's text for what failed.</returns>
    public string? WriteAll()
    {
        Debug.Assert(_isOn, "there is no file");
        long tail = _ring!.Tail;
        _drain!.DrainTo(tail);
        AofWriter writer = _writer!;
        while (writer.WrittenPosition < tail || writer.IsSwitching)
        {
            if (writer.Error is { } error)
                return error;
            if (_sync!.HasThread)
                Thread.Sleep(1);
            else
                _sync.Step();
        }

        return null;
    }

    /// <summary>Gives records of a turn their time.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void NoteTime()
    {
        if (_ring is { } ring)
            ring.NowSeconds = _clock.UnixMicroseconds / 1_000_000;
    }

    /// <summary>Before a loop gives bytes to a socket: whether they may leave.</summary>
    /// <returns>0: they may; otherwise the position that must be durable first.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long Settle() => _isRecording ? SettleOn() : 0;

    /// <summary>The position up to which bytes that wait may leave.</summary>
    public long DurablePosition => _isSynchronous ? _writer!.DurablePosition
        : _writer is { IsSwitching: true } writer ? writer.WrittenPosition : long.MaxValue;

    /// <summary>How long each write to the file sleeps first, in microseconds.</summary>
    public long SleepUs
    {
        get;
        set
        {
            field = value;
            if (_writer is { } writer)
                writer.SleepUs = value;
        }
    }

    /// <summary>Microseconds of writes to the file, and of the flushes that replies wait for, whichever
    /// thread made them.</summary>
    public long WriteUs => Interlocked.Read(ref _writeUs);

    /// <summary>Starts that over.</summary>
    public void ResetStatistics() => Interlocked.Exchange(ref _writeUs, 0);

    /// <summary>The position behind all that has been recorded.</summary>
    public long Tail => _ring?.Tail ?? 0;

    /// <summary>The position up to which the file has been made durable.</summary>
    public long FlushedPosition => _writer?.DurablePosition ?? 0;

    void IAofObserver.Log(bool isWarning, string message) =>
        _server.Log.Write(isWarning ? LogLevel.Warning : LogLevel.Notice, message);

    void IAofObserver.NoteWait(AofWait wait, long microseconds)
    {
        if (wait is AofWait.Write or AofWait.FsyncAlways)
            Interlocked.Add(ref _writeUs, microseconds);
        _server.Latency.Note(EventOf(wait), microseconds);
    }

    private static string EventOf(AofWait wait) => wait switch
    {
        AofWait.Write => LatencyMonitor.AofWrite,
        AofWait.WritePendingFsync => LatencyMonitor.AofWritePendingFsync,
        AofWait.WriteActiveChild => LatencyMonitor.AofWriteActiveChild,
        AofWait.WriteAlone => LatencyMonitor.AofWriteAlone,
        AofWait.FsyncAlways => LatencyMonitor.AofFsyncAlways,
        AofWait.Fstat => LatencyMonitor.AofFstat,
        _ => LatencyMonitor.AofRename,
    };

    void IAofObserver.NoteStatus(string? error)
    {
        _error = error;
        _server.DiskErrors.SetJournal(error);
    }

    void IAofObserver.NoteBacklog(bool isFull)
    {
        if (isFull)
            _server.WriteHold.Begin(WriteHoldReason.Journal);
        else
            _server.WriteHold.End(WriteHoldReason.Journal);
    }

    void IAofObserver.Fail(string message) => _server.Fail(message);

    /// <summary>After the last loop: ends the journal and frees it.</summary>
    public void Dispose()
    {
        if (_isOn)
            _server.Log.Write(LogLevel.Notice, "Calling fsync() on the AOF file.");
        End();
        _writer?.Dispose();
        _drain?.Dispose();
        _ring?.Dispose();
    }

    private JournalRing MakeRing()
    {
        _ring ??= new JournalRing();
        _drain ??= new JournalDrain(_ring);
        _ring.Reader = _drain;
        return _ring;
    }

    private void Record()
    {
        _isRecording = true;
        _server.Recording.Journal = _ring;
    }

    private void StopRecording()
    {
        _server.Recording.Journal = null;
        _isRecording = false;
    }

    private void DurableAdvanced() => _server.DurableAdvanced();

    private long SettleOn()
    {
        long tail = _ring!.Tail;
        if (!_isSynchronous)
        {
            if (_drain!.Position < tail)
                _drain.DrainTo(tail);
            return _isOn && _writer!.IsSwitching && _writer.WrittenPosition < tail ? tail : 0;
        }

        if (_writer!.DurablePosition >= tail)
            return 0;
        _sync?.Wake();
        return tail;
    }

    // What the thread of the file asks must not wait for the registry, which may wait for the thread.
    private string? FollowPolicy()
    {
        _isFlushHeldBySaves = _configuration.NumberOf("no-appendfsync-on-rewrite") != 0;
        if (_writer is not { } writer)
            return null;
        writer.Policy = _configuration.TextOf("appendfsync") switch
        {
            "always" => AofFsync.Always,
            "no" => AofFsync.No,
            _ => AofFsync.EverySecond,
        };
        _drain!.WantsTimestamps = _configuration.NumberOf("aof-timestamp-enabled") != 0;
        _isSynchronous = _sync is not null && writer.Policy == AofFsync.Always;
        // What was kept for "always" leaves at once under another policy.
        _server.DurableAdvanced();
        return null;
    }
}

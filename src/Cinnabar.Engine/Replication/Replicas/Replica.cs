// A replica of this server: a session whose output is not replies but the server's stream, and before it
// perhaps the data of a full synchronisation. Its loop takes the bytes from here and sends them from where
// they lie (FeedOutput); nothing is copied for a replica.
//
//   Announced ─► WaitingForMoment ─► [WaitingForFile] ─► Transfer ─┬─► WaitingForAcknowledgement ─► Online
//       │                                                          ├──────────────────────────────────▲
//       │                                                          └─► Finished                       │
//       └─ a partial synchronisation ─────────────────────────────────────────────────────────────────┘
//
// The order of its bytes: notes (the answer to PSYNC, the empty lines that keep the connection alive), then
// the data, then the stream from the offset at which the data were taken. The place in the stream is taken
// at that moment, so the backlog keeps what comes meanwhile; how much that may be is limited by
// client-output-buffer-limit replica.
//
// Only its loop changes it; other threads read its numbers.

using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>A replica of this server.</summary>
internal sealed unsafe class Replica : IOutputFeed
{
    private const int SegmentBytesMax = 256 << 10;
    private const long MsPerS = 1000;

    private readonly ReplicaSet _set;
    private readonly SharedBlockPool _pool;
    private readonly Queue<OutputSegment> _notes = new();
    private readonly Action _send;
    private Payload? _payload;
    private BacklogReader? _payloadReader;
    private volatile BacklogReader? _stream;
    private int _isPosted;
    private int _phase;
    private volatile bool _isServed;
    private long _acknowledgedOffset;
    private long _durableOffset;
    private long _acknowledgedMs;
    private long _progressMs;

    /// <param name="session">Its session.</param>
    /// <param name="set">What it belongs to when it asks for the stream.</param>
    /// <param name="pool">Where the blocks of notes come from.</param>
    public Replica(Session session, ReplicaSet set, SharedBlockPool pool)
    {
        (Session, _set, _pool) = (session, set, pool);
        _send = Send;
    }

    /// <summary>Its session.</summary>
    public Session Session { get; }

    /// <summary>What it has told of itself.</summary>
    public ReplicaAnnouncement Announcement { get; set; } = new();

    /// <summary>What it waits for or gets.</summary>
    public ReplicaPhase Phase => (ReplicaPhase)Volatile.Read(ref _phase);

    /// <summary>Whether it gets the stream.</summary>
    public bool IsOnline => Phase == ReplicaPhase.Online;

    /// <summary>Whether it gets the stream, or does when it has found the end of its data: Redis calls that
    /// online, too.</summary>
    public bool HasAllData => Phase is ReplicaPhase.Online or ReplicaPhase.WaitingForAcknowledgement;

    /// <summary>Whether it needs all data and no snapshot has been taken for it. Its loop learns of one
    /// later (<see cref="BeginTransfer"/>).</summary>
    public bool IsWaiting => Phase == ReplicaPhase.WaitingForMoment && !_isServed && !Session.IsClosed;

    /// <summary>Its phase in INFO's words; null: it is not shown. One whose data are in no file waits until
    /// all are sent, and is online then, as in Redis.</summary>
    public string? StateName => Phase switch
    {
        ReplicaPhase.WaitingForMoment or ReplicaPhase.WaitingForFile => "wait_bgsave",
        ReplicaPhase.Transfer => Payload is { IsStored: true } ? "send_bulk" : "wait_bgsave",
        _ => HasAllData ? "online" : null,
    };

    /// <summary>For how many seconds, as the clock shows them, it has not acknowledged; 0 where it does not
    /// have its data.</summary>
    public long LagSeconds(long nowMs) =>
        HasAllData ? Math.Max(0, (nowMs / MsPerS) - (AcknowledgedMs / MsPerS)) : 0;

    /// <summary>The data that it gets; null: none.</summary>
    public Payload? Payload => _payload;

    /// <summary>The offset up to which it has applied the stream.</summary>
    public long AcknowledgedOffset => Interlocked.Read(ref _acknowledgedOffset);

    /// <summary>The offset up to which its append-only file is on disk.</summary>
    public long DurableOffset => Interlocked.Read(ref _durableOffset);

    /// <summary>When it acknowledged last, Unix milliseconds; for others than those online, when it last
    /// showed that it is there.</summary>
    public long AcknowledgedMs => Interlocked.Read(ref _acknowledgedMs);

    /// <summary>When it last took a byte of its data, Unix milliseconds.</summary>
    public long ProgressMs => Interlocked.Read(ref _progressMs);

    /// <summary>Whether it has asked by PSYNC, which has an answer.</summary>
    public bool IsPsync { get; private set; }

    /// <summary>When it began to wait for a snapshot, Unix milliseconds.</summary>
    public long WaitingSinceMs { get; private set; }

    /// <inheritdoc/>
    public long WaitingBytes => _stream?.UnreadBytes ?? 0;

    /// <summary>Bytes that it has been given, its peer has not taken, and are kept by nothing else. From any
    /// thread, which may see the last instant.</summary>
    /// <param name="start">The offset from which the backlog has the stream.</param>
    public long UnsentBytes(long start)
    {
        long unsent = Session.Unsent?.ByteCount ?? 0;
        return Phase == ReplicaPhase.Online && _stream is { } stream
            ? Math.Clamp(start - (stream.Position - unsent), 0, unsent) : unsent;
    }

    /// <summary>Its address for people and in INFO: what it announced, or its connection's.</summary>
    public string Address => Announcement.Address.Length > 0 ? Announcement.Address
        : Session.Endpoint.RemoteAddress[..Math.Max(0, Session.Endpoint.RemoteAddress.LastIndexOf(':'))]
            .Trim('[', ']');

    /// <summary>Its name in the log, as Redis has it.</summary>
    public string LogName => Announcement.Port != 0
        ? string.Create(CultureInfo.InvariantCulture, $"{BracketedAddress}:{Announcement.Port}")
        : string.Create(CultureInfo.InvariantCulture, $"client id #{Session.Id}");

    /// <summary>Whether it has an address, as it has told it or as its connection has it.</summary>
    public bool Is(string host, int port) =>
        Announcement.Port == port && Address.Equals(host, StringComparison.OrdinalIgnoreCase);

    private string BracketedAddress =>
        Address.Contains(':', StringComparison.Ordinal) ? $"[{Address}]" : Address;

    private Loop Loop => (Loop)Session.Loop;

    /// <summary>It has asked for the stream and needs all data. On its loop.</summary>
    /// <param name="isPsync">Whether it has asked by PSYNC.</param>
    /// <param name="nowMs">Now, Unix milliseconds.</param>
    public void BeginWait(bool isPsync, long nowMs)
    {
        IsPsync = isPsync;
        WaitingSinceMs = nowMs;
        NoteAlive(nowMs);
        Enter(ReplicaPhase.WaitingForMoment);
    }

    /// <summary>It goes on in the stream where it was. On its loop.</summary>
    public void BeginStream(BacklogReader stream, string note, long nowMs)
    {
        Debug.Assert(Phase == ReplicaPhase.Announced, "it asks once");
        _stream = stream;
        NoteAlive(nowMs);
        AddNote(note);
        Enter(ReplicaPhase.Online);
        _set.NoteAcknowledged();
        Wake();
    }

    /// <summary>The snapshot that it gets has been taken. From any thread, under all stripes.</summary>
    /// <param name="payload">The data.</param>
    /// <param name="data">Its place in them.</param>
    /// <param name="stream">Its place in the stream.</param>
    /// <param name="note">What comes first; empty: nothing.</param>
    public void BeginTransfer(Payload payload, BacklogReader data, BacklogReader stream, string note)
    {
        Debug.Assert(!_isServed, "it gets the data of one snapshot");
        _isServed = true;
        Loop.Run(() =>
        {
            if (Session.IsClosed)
            {
                payload.Leave(data);
                stream.Dispose();
                return;
            }

            (_payload, _payloadReader, _stream) = (payload, data, stream);
            AddNote(note);
            NoteProgress();
            Enter(payload.IsStored ? ReplicaPhase.WaitingForFile : ReplicaPhase.Transfer);
            Send();
        });
    }

    /// <summary>It has told how far it is. On its loop.</summary>
    /// <param name="offset">Bytes of the stream that it has applied.</param>
    /// <param name="durableOffset">Those that are on its disk; −1: it has not told.</param>
    /// <param name="nowMs">Now, Unix milliseconds.</param>
    public void Acknowledge(long offset, long durableOffset, long nowMs)
    {
        if (offset > _acknowledgedOffset)
            Interlocked.Exchange(ref _acknowledgedOffset, offset);
        if (durableOffset > _durableOffset)
            Interlocked.Exchange(ref _durableOffset, durableOffset);
        NoteAlive(nowMs);
        if (Phase == ReplicaPhase.WaitingForAcknowledgement)
            GoOnline();
        if (Phase == ReplicaPhase.Online)
            _set.NoteAcknowledged();
    }

    /// <summary>Gives it an empty line, so that it does not take its master for dead. From any
    /// thread.</summary>
    public void KeepAlive() => Loop.Run(() =>
    {
        if (Phase is ReplicaPhase.WaitingForMoment or ReplicaPhase.WaitingForFile)
            AddNote("\n");
        Send();
    });

    /// <summary>Ends its connection. From any thread.</summary>
    public void Disconnect()
    {
        Session.IsKilled = true;
        Session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = Session });
    }

    /// <inheritdoc/>
    public void Wake()
    {
        // ORDER: a full fence: what is to be sent was there before; Send clears the flag before it looks.
        if (Interlocked.Exchange(ref _isPosted, 1) == 0)
            Loop.Run(_send);
    }

    /// <inheritdoc/>
    public bool TryTake(out OutputSegment segment)
    {
        if (_notes.TryDequeue(out segment))
            return true;
        if (Phase is ReplicaPhase.Transfer or ReplicaPhase.WaitingForFile)
            return TryTakeData(out segment);
        return Phase == ReplicaPhase.Online && TryTake(_stream!, out segment);
    }

    /// <inheritdoc/>
    public void Close()
    {
        if (Phase is not (ReplicaPhase.Announced or ReplicaPhase.Closed))
            _set.Remove(this);
        Enter(ReplicaPhase.Closed);
        while (_notes.TryDequeue(out OutputSegment note))
            note.Block->Release();
        if (_payloadReader is { } data)
            _payload!.Leave(data);
        _payloadReader = null;
        _stream?.Dispose();
    }

    private bool TryTakeData(out OutputSegment segment)
    {
        if (TryTake(_payloadReader!, out segment))
        {
            Enter(ReplicaPhase.Transfer);
            NoteProgress();
            _payload!.NoteTaken();
            return true;
        }

        if (!_payload!.IsWhole || _payloadReader!.UnreadBytes > 0)
            return false;
        EndTransfer(_payload.IsStored);
        return TryTake(out segment);
    }

    private void EndTransfer(bool isLengthKnown)
    {
        _payload!.Leave(_payloadReader!);
        (_payload, _payloadReader) = (null, null);
        NoteAlive(NowMs);
        if (Announcement.IsDataOnly)
        {
            _stream!.Dispose();
            _stream = null;
            Enter(ReplicaPhase.Finished);
        }
        else if (isLengthKnown)
        {
            GoOnline();
        }
        else
        {
            Enter(ReplicaPhase.WaitingForAcknowledgement);
        }

        _set.NoteTransferred(this);
    }

    private void GoOnline()
    {
        Debug.Assert(Phase != ReplicaPhase.Announced, "it has its data");
        Enter(ReplicaPhase.Online);
        _set.NoteOnline(this);
        Wake();
    }

    private void Enter(ReplicaPhase phase)
    {
        Debug.Assert(phase switch
        {
            ReplicaPhase.WaitingForMoment => Phase == ReplicaPhase.Announced,
            ReplicaPhase.WaitingForFile => Phase == ReplicaPhase.WaitingForMoment,
            ReplicaPhase.Transfer => Phase is ReplicaPhase.WaitingForMoment or ReplicaPhase.WaitingForFile
                or ReplicaPhase.Transfer,
            ReplicaPhase.WaitingForAcknowledgement or ReplicaPhase.Finished =>
                Phase is ReplicaPhase.WaitingForFile or ReplicaPhase.Transfer,
            ReplicaPhase.Online => Phase is ReplicaPhase.Announced or ReplicaPhase.WaitingForFile
                or ReplicaPhase.Transfer or ReplicaPhase.WaitingForAcknowledgement,
            // Its connection may end at any time.
            _ => phase == ReplicaPhase.Closed,
        }, $"a replica goes from {Phase} to {phase}");
        Volatile.Write(ref _phase, (int)phase);
    }

    private static bool TryTake(BacklogReader reader, out OutputSegment segment)
    {
        segment = default;
        if (!reader.TryTake(SegmentBytesMax, out BacklogSegment bytes))
            return false;
        segment = new OutputSegment { Block = bytes.Block, Data = bytes.Data, Length = bytes.Length };
        return true;
    }

    private void AddNote(string text)
    {
        if (text.Length == 0)
            return;
        SharedBlock* block = SharedBlock.Create(_pool, text.Length);
        // SAFETY: the block has the room.
        Encoding.Latin1.GetBytes(text, new Span<byte>(block->Data, text.Length));
        _notes.Enqueue(new OutputSegment { Block = block, Data = block->Data, Length = text.Length });
    }

    private void Send()
    {
        // ORDER: cleared, with a full fence, before the bytes are looked for: later ones post again.
        Interlocked.Exchange(ref _isPosted, 0);
        if (!Session.IsClosed)
            Loop.Runner.Feeds.Send(Session);
    }

    private long NowMs => Loop.Runner.NowMs;

    private void NoteAlive(long nowMs) => Interlocked.Exchange(ref _acknowledgedMs, nowMs);

    private void NoteProgress() => Interlocked.Exchange(ref _progressMs, NowMs);
}

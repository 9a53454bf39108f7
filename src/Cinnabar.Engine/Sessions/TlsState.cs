using Cinnabar.Engine.Configuration;

namespace Cinnabar.Engine.Sessions;

/// <summary>A server's certificates and handshakes, as INFO shows them. Any thread may use it.</summary>
public sealed class TlsState
{
    private const int RunningCountMin = 16;

    private readonly Settings _settings;
    private readonly SessionRegistry _sessions;
    private TlsCertificates? _certificates;
    private long _runningCount;
    private long _fullCount;
    private long _resumedCount;
    private long _failedCount;

    internal TlsState(Settings settings, SessionRegistry sessions) =>
        (_settings, _sessions) = (settings, sessions);

    /// <summary>The certificates in use; null: nothing has been loaded.</summary>
    public TlsCertificates? Certificates
    {
        get => Volatile.Read(ref _certificates);
        set => Volatile.Write(ref _certificates, value);
    }

    /// <summary>Connects to other servers; null: this server has no transport that could. Set once, before
    /// the loops run.</summary>
    public SecureConnect? Connect { get; set; }

    /// <summary>Handshakes that have not ended.</summary>
    public long RunningCount => Interlocked.Read(ref _runningCount);

    /// <summary>Handshakes that agreed on new secrets.</summary>
    public long FullCount => Interlocked.Read(ref _fullCount);

    /// <summary>Handshakes that went on with an earlier session.</summary>
    public long ResumedCount => Interlocked.Read(ref _resumedCount);

    /// <summary>Handshakes that failed or took too long.</summary>
    public long FailedCount => Interlocked.Read(ref _failedCount);

    /// <summary>Counts a handshake that begins.</summary>
    public void Begin() => Interlocked.Increment(ref _runningCount);

    /// <summary>Counts the end of a handshake, after its success or failure.</summary>
    public void End()
    {
        long left = Interlocked.Decrement(ref _runningCount);
        Debug.Assert(left >= 0, "a handshake ends once");
    }

    /// <summary>Counts a success.</summary>
    public void NoteSuccess(bool isResumed) => Interlocked.Increment(
        ref isResumed ? ref _resumedCount : ref _fullCount);

    /// <summary>Counts a failure.</summary>
    public void NoteFailure() => Interlocked.Increment(ref _failedCount);

    /// <summary>Whether the oldest handshake must end: together with the clients there are more than
    /// <c>maxclients</c>.</summary>
    /// <param name="count">How many handshakes there are.</param>
    public bool IsCrowded(int count) =>
        count > Math.Max(RunningCountMin, _settings.ClientsMax - _sessions.Count);

    /// <summary>Starts the counts of ended handshakes over.</summary>
    public void ResetStatistics()
    {
        Interlocked.Exchange(ref _fullCount, 0);
        Interlocked.Exchange(ref _resumedCount, 0);
        Interlocked.Exchange(ref _failedCount, 0);
    }
}

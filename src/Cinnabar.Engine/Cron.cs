using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine;

/// <summary>Work that is done <c>hz</c> times a second: on every loop for its sessions, on the first for the
/// server.</summary>
internal sealed class Cron(ServerEngine engine)
{
    // Each session is checked about once a second, so that many sessions cause no delay.
    private const int SeenCountMin = 128;

    // Sessions that send nothing for as long as they like.
    private const SessionFlags Waiting =
        SessionFlags.Subscribed | SessionFlags.Monitor | SessionFlags.Replica;

    private const long NsPerMs = 1_000_000;

    // Memory that is kept for speed goes back to the system if it is not needed for so many runs.
    private const int RunsToIdle = 16;

    private readonly ServerEngine _engine = engine;
    private volatile bool _isPaused;
    private int _runCount;

    /// <summary>Whether DEBUG PAUSE-CRON has stopped it.</summary>
    public bool IsPaused
    {
        get => _isPaused;
        set
        {
            _isPaused = value;
            _engine.StopRequest.Hold(value);
        }
    }

    /// <summary>Runs it on a loop, within a turn.</summary>
    public void Run(Loop loop, long nowMs)
    {
        if (IsPaused)
            return;
        if (loop.Index == 0)
        {
            _engine.Pause.EndIfDue(nowMs);
            _engine.Keyspace.Quiescence.Poll();
            _engine.MemoryLimit.LookForPages();
            _engine.MemoryLimit.Defrag.Look();
            _engine.Keyspace.Scratch.GiveBackIdle();
            if (++_runCount % RunsToIdle == 0)
            {
                _engine.Keyspace.GiveBackIdle();
                _engine.Chunks.GiveBackIdle();
            }

            _engine.Statistics.Sample(nowMs);
            _engine.Data.Migrations.CloseIdle(_engine.Clock.MonotonicNanoseconds / NsPerMs);
            _engine.Replica.RunCron();
            _engine.Replicas.RunCron(nowMs);
            _engine.Replica.Failover.Look();
            _engine.Data.Saves.RunCron();
            _engine.Data.Rewrites.RunCron();
            _engine.ScriptMachines.CollectGarbage(nowMs);
        }

        _engine.SlowLane.FindOverdue();
        loop.Runner.Executions.Suspended.RefuseOverdue();
        int timeoutSeconds = _engine.Settings.ClientTimeoutSeconds;
        LoopSessions sessions = loop.Sessions;
        int seenCount = Math.Max(SeenCountMin, (sessions.Count / Math.Max(1, _engine.Settings.Hz)) + 1);
        for (int count = Math.Min(seenCount, sessions.Count); count > 0 && sessions.Count > 0; count--)
            See(loop, sessions.Next(), nowMs, timeoutSeconds);
    }

    // A session is idle only if it was so before this turn: after a standstill of the process some input is
    // still unread.
    private void See(Loop loop, Session session, long nowMs, int timeoutSeconds)
    {
        long idleMs = loop.EarlierMs - session.LastInteractionMs;
        bool isTimedOut = timeoutSeconds > 0 && idleMs > timeoutSeconds * 1000L
            && (session.Flags & Waiting) == 0 && session.Suspended is null;
        long unsentBytes = (session.Unsent?.PeerBytes ?? 0) + (session.Feed?.WaitingBytes ?? 0);
        bool isOverLimit =
            unsentBytes > 0 && _engine.OutputLimits.IsExceeded(session, unsentBytes, nowMs);
        if (isOverLimit)
            loop.Runner.Closing.CloseOverLimit(session, unsentBytes);
        else if (isTimedOut)
            loop.Runner.Closing.Close(session);
    }
}

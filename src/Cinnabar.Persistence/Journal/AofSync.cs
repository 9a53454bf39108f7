// The thread that makes the append-only file durable, drains what no turn of a loop has drained, and opens
// the next file at a switch. Without a thread (in tests, in the simulator) its owner calls Step.
//
// With "always" it does all of the work, for all loops: while it flushes, the records of further commands
// collect, and one flush makes all of them durable.

using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Makes a journal's file durable.</summary>
/// <param name="ring">The journal.</param>
/// <param name="drain">Its drain.</param>
/// <param name="writer">Its file.</param>
/// <param name="files">Its files.</param>
/// <param name="clock">The source of time.</param>
public sealed class AofSync(
    JournalRing ring, JournalDrain drain, AofWriter writer, AofFiles files, Clock clock) : IDisposable
{
    private const int WaitMsMax = 100;
    private const long SecondNs = 1_000_000_000;

    private readonly JournalRing _ring = ring;
    private readonly JournalDrain _drain = drain;
    private readonly AofWriter _writer = writer;
    private readonly AofFiles _files = files;
    private readonly Clock _clock = clock;
    private readonly AutoResetEvent _wake = new(false);
    private Thread? _thread;
    private volatile bool _isEnding;
    private volatile bool _isSwitchDue;
    private int _isAwake;
    private long _flushedNs = clock.MonotonicNanoseconds;

    /// <summary>Whether flushes that no reply waits for are left out for now.</summary>
    public Func<bool>? IsPaused { get; set; }

    /// <summary>Called after later positions have become durable.</summary>
    public Action? DurableAdvanced { get; set; }

    /// <summary>Called when a switch has been tried, with whether it succeeded.</summary>
    public Action<bool>? SwitchTried { get; set; }

    /// <summary>Called again and again while a switch is stuck: may skip it, or give it up.</summary>
    public Action? SwitchStuck { get; set; }

    /// <summary>Whether the thread has been started; else the owner calls <see cref="Step"/>.</summary>
    public bool HasThread => _thread is not null;

    /// <summary>Starts the thread.</summary>
    public void Start()
    {
        Debug.Assert(_thread is null, "it has started");
        _thread = new Thread(Run) { IsBackground = true, Name = "aof-sync" };
        _thread.Start();
    }

    /// <summary>Notes that a switch has been met.</summary>
    public void RequestSwitch()
    {
        _isSwitchDue = true;
        Wake();
    }

    /// <summary>Has the thread look at once; from any thread.</summary>
    public void Wake()
    {
        // ORDER: the exchange is a full fence behind what the caller has published; the thread clears the
        // flag before it looks.
        if (Interlocked.Exchange(ref _isAwake, 1) == 0)
            _wake.Set();
    }

    /// <summary>Does what is due.</summary>
    /// <returns>Whether anything has become durable.</returns>
    public bool Step()
    {
        bool hasAdvanced = false;
        if (_ring.Tail > _drain.Position)
            _drain.TryDrain();
        if (_isSwitchDue)
        {
            _isSwitchDue = false;
            bool isDone = _writer.CompleteSwitch(_files.AdoptIncrement);
            // Replies have waited for it, whether it succeeded or not.
            hasAdvanced = true;
            SwitchTried?.Invoke(isDone);
        }
        else if (_writer.IsSwitchStuck)
        {
            SwitchStuck?.Invoke();
        }

        _writer.WriteWaiting();
        if (IsFlushDue())
        {
            _flushedNs = _clock.MonotonicNanoseconds;
            hasAdvanced |= _writer.Flush();
            _writer.WriteWaiting();
        }
        else if (_writer.Policy == AofFsync.EverySecond && IsPaused?.Invoke() != true)
        {
            // Writes are postponed while a flush runs: the less it has to do, the fewer.
            _writer.BeginFlush();
        }

        if (hasAdvanced)
            DurableAdvanced?.Invoke();
        return hasAdvanced;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isEnding = true;
        _wake.Set();
        _thread?.Join();
        _wake.Dispose();
    }

    private bool IsFlushDue() => _writer.Policy switch
    {
        AofFsync.Always => true,
        AofFsync.EverySecond => _clock.MonotonicNanoseconds - _flushedNs >= SecondNs
            && IsPaused?.Invoke() != true,
        _ => false,
    };

    private void Run()
    {
        while (!_isEnding)
        {
            Volatile.Write(ref _isAwake, 0);
            // ORDER: the flag is cleared, with a full fence, before the journal is looked at; see Wake.
            Interlocked.MemoryBarrier();
            bool hasAdvanced = Step();
            if (!hasAdvanced)
                _wake.WaitOne(WaitMsMax);
        }
    }
}

// maxmemory: while the limit is exceeded, keys are evicted (KeyEviction); where there is none to evict,
// commands that need more memory are refused.
//
// A short command must not pay for a check of the memory in use (Keyspace.CountedMoreThan: one sum, or, if
// that is too near the limit, every arena and pool). So far below the limit the loops check before each
// batch. Within NearBytes of the limit a gate is shut (ServerGates.MemoryNear): then a check is made before
// each command that needs memory, as in Redis. Memory can grow unchecked by what all loops add in a batch,
// which NearBytes covers, or by one command that takes more at once, which Redis allows, too. Without a limit
// a batch checks one flag. Commands that CLIENT PAUSE held back or that waited for keys are checked again
// when they resume.
//
// Where keys can be evicted and the limit is not small, the check is of the sum alone, which may be too large
// by up to 0.4 % of the limit; eviction then goes on a little below the limit
// (BurstBytes), so that it is done for some commands at once. The limit is never exceeded for that.
//
// A command that runs under another's locks (a waiter that is served, a script's) evicts nothing: it is
// refused only where the last eviction has found no key.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;
using Cinnabar.Keyspace.Candidates;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Admission;

/// <summary>Whether a server's memory is within <c>maxmemory</c>. Thread-safe.</summary>
internal sealed class MemoryLimit
{
    private const long NearBytes = 16L << 20;
    private const long BurstBytes = 4096;
    private const int CoarseFactor = 512;
    private const long SuspiciousBelowBytes = 1L << 20;
    private const long NsPerUs = 1000;
    private const ServerGates HoldingGates =
        ServerGates.Paused | ServerGates.WritesHeld | ServerGates.AnyLoading;

    private readonly GateSet _gates;
    private readonly Settings _settings;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly Clock _clock;
    private readonly ILog _log;
    private readonly Lock _lock = new();
    private volatile bool _isSet;
    private volatile bool _isExhausted;
    private volatile bool _isMasterTrusted;
    private long _exceededSinceNs;
    private long _exceededUs;

    /// <summary>Follows a server's configuration.</summary>
    public MemoryLimit(ConfigurationRegistry configuration, Keyspace.Keyspace keyspace, GateSet gates,
        Clock clock, ILog log)
    {
        (_settings, _keyspace, _gates, _clock) = (configuration.Settings, keyspace, gates, clock);
        _log = log;
        FollowPolicy();
        keyspace.Pages.Shortage = NoteShortage;
        configuration.Subscribe("maxmemory", FollowLimit);
        configuration.Subscribe("maxmemory-policy", FollowPolicy);
        configuration.Subscribe("lfu-log-factor", FollowPolicy);
        configuration.Subscribe("lfu-decay-time", FollowPolicy);
        configuration.Follow("replica-ignore-maxmemory",
            () => _isMasterTrusted = configuration.NumberOf("replica-ignore-maxmemory") != 0);
        Defrag = new ActiveDefrag(configuration, keyspace, clock);
        if (_settings.MaxMemory is > 0 and < SuspiciousBelowBytes)
        {
            log.Write(LogLevel.Warning,
                $"WARNING: maxmemory is {_settings.MaxMemory} bytes, less than 1 MB. Is that meant?");
        }
    }

    /// <summary>The error of a command that would need memory.</summary>
    public static ReadOnlySpan<byte> Error => "OOM command not allowed when used memory > 'maxmemory'."u8;

    /// <summary>The error of such a command where the system gives no more memory.</summary>
    public static ReadOnlySpan<byte> ShortageError =>
        "OOM command not allowed: the system gives no more memory."u8;

    /// <summary>The error of a command that is refused now.</summary>
    public ReadOnlySpan<byte> Refusal => IsShort ? ShortageError : Error;

    /// <summary>Whether the system gives no more memory: what there is serves commands that have
    /// begun.</summary>
    public bool IsShort => _keyspace.Pages.IsShort;

    /// <summary>The limit of the clients' memory.</summary>
    public required ClientEviction Clients { get; init; }

    /// <summary>Moves what lies in sparsely used memory.</summary>
    public ActiveDefrag Defrag { get; }

    /// <summary>The keys.</summary>
    public Keyspace.Keyspace Keyspace => _keyspace;

    /// <summary>Whether no key may be evicted for now, and commands are judged as if there were
    /// room.</summary>
    public bool IsHeld => (_gates.Value & HoldingGates) != 0 || IsLeftToMaster;

    /// <summary>Whether keys may make room for others: the policy says which, and no data set is
    /// imported.</summary>
    public bool MayEvict =>
        _keyspace.EvictionPolicy.Evicts && (!_keyspace.IsImporting || _keyspace.IsReplica);

    /// <summary>Whether there is a limit.</summary>
    public bool IsSet => _isSet;

    /// <summary>Whether more memory is in use than the limit allows.</summary>
    public bool IsOver => _isSet && _keyspace.CountedMoreThan(_settings.MaxMemory);

    /// <summary>Whether keys must be evicted before a command that needs memory. True a little below the
    /// limit already where the limit is many times what the cheaper check errs by.</summary>
    /// <param name="isEvicting">Whether eviction is under way: it goes on for a burst.</param>
    public bool NeedsRoom(bool isEvicting)
    {
        long limit = _settings.MaxMemory;
        if (!_isSet || !MayEvict
            || limit < _keyspace.Pages.ReportErrorBytesMax * CoarseFactor)
            return IsOver;
        return _keyspace.MayCountMoreThan(isEvicting ? limit - BurstBytes : limit);
    }

    /// <summary>Whether more memory is in use than the limit allows, and commands are refused for that: no
    /// key can be evicted.</summary>
    public bool IsExceeded => !IsLeftToMaster && IsOver && (_isExhausted || !MayEvict);

    /// <summary>How long the limit was exceeded, in microseconds, the present time included.</summary>
    public long ExceededUs => Volatile.Read(ref _exceededUs) + ExceededNowUs;

    /// <summary>For how long the limit has been exceeded, in microseconds; 0: it is not.</summary>
    public long ExceededNowUs => Volatile.Read(ref _exceededSinceNs) is var since and > 0
        ? Math.Max(0, _clock.MonotonicNanoseconds - since) / NsPerUs : 0;

    /// <summary>Checks how near the limit is. Any loop, before a batch.</summary>
    public void Look()
    {
        if (IsNear(_settings.MaxMemory) != _gates.Has(ServerGates.MemoryNear))
            SetGate();
    }

    /// <summary>Whether a command that can evict nothing itself needs memory that there is not.</summary>
    public bool Refuses(SessionExecution execution) => (_isSet || IsShort)
        && CommandReach.Has(execution, CommandFlags.DenyOom) && (IsShort || IsExceeded);

    /// <summary>Looks whether a shortage is over. Now and then.</summary>
    public void LookForPages()
    {
        if (!IsShort)
            return;
        // A page that is kept for speed keeps the addresses of its region.
        _keyspace.GiveBackIdle();
        if (_keyspace.Pages.TryEndShortage())
        {
            _log.Write(LogLevel.Notice, "The system gives memory again.");
            SetGate();
        }
    }

    // The master evicts, and its replicas delete what it has evicted (replica-ignore-maxmemory).
    private bool IsLeftToMaster => _isMasterTrusted && _keyspace.IsReplica;

    /// <summary>Notes what an eviction has come to.</summary>
    /// <param name="isOver">Whether the limit is still exceeded.</param>
    /// <param name="isExhausted">Whether there was no key to evict.</param>
    public void Note(bool isOver, bool isExhausted)
    {
        Debug.Assert(isOver || !isExhausted, "no more keys were looked for than were needed");
        if (_isExhausted != isExhausted)
            _isExhausted = isExhausted;
        if (isOver == (Volatile.Read(ref _exceededSinceNs) > 0))
            return;
        lock (_lock)
        {
            Volatile.Write(ref _exceededUs, ExceededUs);
            Volatile.Write(ref _exceededSinceNs, isOver ? Math.Max(1, _clock.MonotonicNanoseconds) : 0);
        }
    }

    /// <summary>Starts <see cref="ExceededUs"/> over.</summary>
    public void ResetStatistics()
    {
        Clients.ResetStatistics();
        Defrag.ResetStatistics();
        lock (_lock)
        {
            Volatile.Write(ref _exceededUs, 0);
            if (_exceededSinceNs > 0)
                Volatile.Write(ref _exceededSinceNs, Math.Max(1, _clock.MonotonicNanoseconds));
        }
    }

    private bool IsNear(long limit) => IsShort || (_isSet && _keyspace.CountedMoreThan(limit - NearBytes));

    // Called while a command runs: the gate is a word.
    private void NoteShortage()
    {
        _gates.Set(ServerGates.MemoryNear, isShut: true);
        _log.Write(LogLevel.Warning,
            "The system gives no more memory: commands that need it are refused until it does.");
    }

    // Reads the settings under the lock: the last caller has the newest ones.
    private void SetGate()
    {
        lock (_lock)
        {
            long limit = _settings.MaxMemory;
            _isSet = limit > 0;
            _isExhausted &= _isSet;
            bool isNear = IsNear(limit);
            if (isNear != _gates.Has(ServerGates.MemoryNear))
                _gates.Set(ServerGates.MemoryNear, isNear);
        }
    }

    private string? FollowLimit()
    {
        FollowPolicy();
        long used = _keyspace.UsedBytes;
        if (_settings.MaxMemory is var limit and > 0 && limit < used)
        {
            _log.Write(LogLevel.Warning,
                $"WARNING: maxmemory is now {limit} bytes, less than the {used} bytes in use. With the "
                    + "policy " + _settings.MaxMemoryPolicy + (_keyspace.EvictionPolicy.Evicts
                    ? ", keys are evicted." : ", commands that need memory are refused."));
        }

        return null;
    }

    private string? FollowPolicy()
    {
        EvictionPolicy policy = EvictionPolicy.Parse(_settings.MaxMemoryPolicy);
        _keyspace.Frequency = policy.Order == EvictionOrder.LeastFrequentlyUsed
            ? new AccessFrequency(_settings.FrequencyLogFactor, _settings.FrequencyDecayMinutes)
            : null;
        if (policy != _keyspace.EvictionPolicy)
            _keyspace.EvictionPolicy = policy;
        _keyspace.IsUsePolicyInForce = _settings.MaxMemory > 0 && policy.IsByUse;
        _isExhausted = false;
        SetGate();
        return null;
    }
}

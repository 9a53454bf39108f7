// maxmemory with the policy noeviction: nothing is removed to make room, so what would need more memory is
// refused while the limit is passed.
//
// No short command should pay for a look at the memory in use (Keyspace.UsesMoreThan: one sum, or, where that
// is too near to tell, every arena and pool). So far below the limit the loops look before each batch. Within
// NearBytes of the limit a gate is shut (ServerGates.MemoryNear): every command then goes by CommandGate,
// which looks before each one that needs memory, as Redis does. What can come between is what all loops add
// in a batch, which NearBytes covers, or one command that takes more at once, which Redis lets pass, too.
// Without a limit there is one look at a flag a batch. Commands that were held back, by CLIENT PAUSE or
// because they waited for keys, are looked at once more when they go on.
//
// With any other policy Redis would evict; that is not built, and nothing is refused.

using System;
using System.Threading;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;
using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Gates;

/// <summary>Keeps a server's memory below <c>maxmemory</c> by refusing commands. Thread-safe.</summary>
internal sealed class MemoryLimit
{
    private const long NearBytes = 16L << 20;
    private const long SuspiciousBelowBytes = 1L << 20;

    private readonly ServerEngine _engine;
    private readonly Lock _lock = new();
    private volatile bool _isSet;

    /// <summary>Follows the configuration of a server whose key space is there.</summary>
    public MemoryLimit(ServerEngine engine)
    {
        _engine = engine;
        FollowPolicy();
        engine.Configuration.Subscribe("maxmemory", FollowLimit);
        engine.Configuration.Subscribe("maxmemory-policy", FollowPolicy);
        engine.Configuration.Subscribe("lfu-log-factor", FollowPolicy);
        engine.Configuration.Subscribe("lfu-decay-time", FollowPolicy);
        if (engine.Settings.MaxMemory is > 0 and < SuspiciousBelowBytes)
        {
            engine.Log.Write(LogLevel.Warning,
                $"WARNING: maxmemory is {engine.Settings.MaxMemory} bytes, less than 1 MB. Is that meant?");
        }
    }

    /// <summary>The error of a command that would need memory.</summary>
    public static ReadOnlySpan<byte> Error => "OOM command not allowed when used memory > 'maxmemory'."u8;

    /// <summary>Whether there is a limit that refusals keep.</summary>
    public bool IsSet => _isSet;

    /// <summary>Looks how near the limit is. Any loop, before a batch.</summary>
    public void Look()
    {
        if (IsNear(_engine.Settings.MaxMemory) != _engine.HasGate(ServerGates.MemoryNear))
            SetGate();
    }

    /// <summary>Whether a command needs memory while the limit is passed.</summary>
    public bool Refuses(SessionExecution execution) =>
        _isSet && CommandReach.Has(execution, CommandFlags.DenyOom)
            && _engine.Keyspace.UsesMoreThan(_engine.Settings.MaxMemory);

    private bool IsNear(long limit) => _engine.Keyspace.UsesMoreThan(limit - NearBytes);

    // Under a lock, with the settings read inside: who comes last has the newest ones.
    private void SetGate()
    {
        lock (_lock)
        {
            long limit = _engine.Settings.MaxMemory;
            _isSet = limit > 0 && _engine.Settings.MaxMemoryPolicy == "noeviction";
            bool isNear = _isSet && IsNear(limit);
            if (isNear != _engine.HasGate(ServerGates.MemoryNear))
                _engine.SetGate(ServerGates.MemoryNear, isNear);
        }
    }

    private string? FollowLimit()
    {
        FollowPolicy();
        long used = _engine.Keyspace.UsedBytes;
        if (_engine.Settings.MaxMemory is var limit and > 0 && limit < used)
        {
            _engine.Log.Write(LogLevel.Warning,
                $"WARNING: maxmemory is now {limit} bytes, less than the {used} bytes in use. With "
                    + "noeviction, commands that need memory are refused.");
        }

        return null;
    }

    private string? FollowPolicy()
    {
        string policy = _engine.Settings.MaxMemoryPolicy;
        bool isByFrequency = policy.EndsWith("-lfu", StringComparison.Ordinal);
        _engine.Keyspace.Frequency = isByFrequency
            ? new AccessFrequency(_engine.Settings.FrequencyLogFactor, _engine.Settings.FrequencyDecayMinutes)
            : null;
        _engine.Keyspace.IsUsePolicyInForce = _engine.Settings.MaxMemory > 0
            && (isByFrequency || policy.EndsWith("-lru", StringComparison.Ordinal));
        SetGate();
        return null;
    }
}

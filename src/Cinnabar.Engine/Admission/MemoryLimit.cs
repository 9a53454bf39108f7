// maxmemory with the policy noeviction: commands that need more memory are refused while the limit is
// exceeded.
//
// A short command must not pay for a check of the memory in use (Keyspace.UsesMoreThan: one sum, or, if that
// is too near the limit, every arena and pool). So far below the limit the loops check before each batch.
// Within NearBytes of the limit a gate is shut (ServerGates.MemoryNear): then every command goes through
// CommandGate, which checks before each one that needs memory, as Redis does. Memory can grow unchecked by
// what all loops add in a batch, which NearBytes covers, or by one command that takes more at once, which
// Redis allows, too. Without a limit a batch checks one flag. Commands that CLIENT PAUSE held back or that
// waited for keys are checked again when they resume.
//
// With any other policy Redis would evict; that is not built, and no command is refused.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Admission;

/// <summary>Keeps a server's memory below <c>maxmemory</c> by refusing commands. Thread-safe.</summary>
internal sealed class MemoryLimit
{
    private const long NearBytes = 16L << 20;
    private const long SuspiciousBelowBytes = 1L << 20;

    private readonly GateSet _gates;
    private readonly Settings _settings;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly ILog _log;
    private readonly Lock _lock = new();
    private volatile bool _isSet;

    /// <summary>Follows a server's configuration.</summary>
    public MemoryLimit(
        ConfigurationRegistry configuration, Keyspace.Keyspace keyspace, GateSet gates, ILog log)
    {
        (_settings, _keyspace, _gates, _log) = (configuration.Settings, keyspace, gates, log);
        FollowPolicy();
        configuration.Subscribe("maxmemory", FollowLimit);
        configuration.Subscribe("maxmemory-policy", FollowPolicy);
        configuration.Subscribe("lfu-log-factor", FollowPolicy);
        configuration.Subscribe("lfu-decay-time", FollowPolicy);
        if (_settings.MaxMemory is > 0 and < SuspiciousBelowBytes)
        {
            log.Write(LogLevel.Warning,
                $"WARNING: maxmemory is {_settings.MaxMemory} bytes, less than 1 MB. Is that meant?");
        }
    }

    /// <summary>The error of a command that would need memory.</summary>
    public static ReadOnlySpan<byte> Error => "OOM command not allowed when used memory > 'maxmemory'."u8;

    /// <summary>Whether there is a limit that is enforced by refusals.</summary>
    public bool IsSet => _isSet;

    /// <summary>Checks how near the limit is. Any loop, before a batch.</summary>
    public void Look()
    {
        if (IsNear(_settings.MaxMemory) != _gates.Has(ServerGates.MemoryNear))
            SetGate();
    }

    /// <summary>Whether more memory is in use than the limit allows, and commands are refused for
    /// that.</summary>
    public bool IsExceeded => _isSet && _keyspace.UsesMoreThan(_settings.MaxMemory);

    /// <summary>Whether a command needs memory while the limit is exceeded.</summary>
    public bool Refuses(SessionExecution execution) =>
        _isSet && CommandReach.Has(execution, CommandFlags.DenyOom) && IsExceeded;

    private bool IsNear(long limit) => _keyspace.UsesMoreThan(limit - NearBytes);

    // Reads the settings under the lock: the last caller has the newest ones.
    private void SetGate()
    {
        lock (_lock)
        {
            long limit = _settings.MaxMemory;
            _isSet = limit > 0 && _settings.MaxMemoryPolicy == "noeviction";
            bool isNear = _isSet && IsNear(limit);
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
                $"WARNING: maxmemory is now {limit} bytes, less than the {used} bytes in use. With "
                    + "noeviction, commands that need memory are refused.");
        }

        return null;
    }

    private string? FollowPolicy()
    {
        string policy = _settings.MaxMemoryPolicy;
        bool isByFrequency = policy.EndsWith("-lfu", StringComparison.Ordinal);
        _keyspace.Frequency = isByFrequency
            ? new AccessFrequency(_settings.FrequencyLogFactor, _settings.FrequencyDecayMinutes)
            : null;
        _keyspace.IsUsePolicyInForce = _settings.MaxMemory > 0
            && (isByFrequency || policy.EndsWith("-lru", StringComparison.Ordinal));
        SetGate();
        return null;
    }
}

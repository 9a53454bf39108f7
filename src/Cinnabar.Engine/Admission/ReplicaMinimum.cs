// min-replicas-to-write: a master with fewer good replicas refuses to write. A replica is good while it gets
// the stream and has acknowledged within min-replicas-max-lag seconds; 0 there switches the check off, as in
// Redis. They are counted when one comes, goes or acknowledges, and once a second, since silence makes no
// event. While there are too few, a gate is shut (ServerGates.ReplicasMissing), so that with default
// directives commands cost no check.

using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Admission;

/// <summary>Refuses writes while there are fewer replicas than <c>min-replicas-to-write</c> wants.
/// Thread-safe.</summary>
internal sealed class ReplicaMinimum
{
    private readonly ConfigurationRegistry _configuration;
    private readonly GateSet _gates;
    private readonly Lock _lock = new();
    private long _wantedCount;
    private long _lagSMax;

    /// <summary>Follows the configuration of a server.</summary>
    public ReplicaMinimum(ConfigurationRegistry configuration, GateSet gates)
    {
        (_configuration, _gates) = (configuration, gates);
        Follow();
        configuration.Subscribe("min-replicas-to-write", Follow);
        configuration.Subscribe("min-replicas-max-lag", Follow);
    }

    /// <summary>The error of a command that would write.</summary>
    public static byte[] Error { get; } = "NOREPLICAS Not enough good replicas to write."u8.ToArray();

    /// <summary>Counts the replicas that have acknowledged within a number of seconds.</summary>
    public Func<long, int> Count { get; init; } = static _ => 0;

    /// <summary>Whether the server takes writes of its own.</summary>
    public Func<bool> IsMaster { get; init; } = static () => true;

    /// <summary>Whether good replicas are counted.</summary>
    public bool IsCounting => Volatile.Read(ref _wantedCount) > 0 && Volatile.Read(ref _lagSMax) > 0;

    /// <summary>How many good replicas there are; 0 where they are not counted.</summary>
    public int GoodCount => IsCounting ? Count(Volatile.Read(ref _lagSMax)) : 0;

    /// <summary>Whether there are too few.</summary>
    public bool IsMissed => _gates.Has(ServerGates.ReplicasMissing);

    /// <summary>Whether a command writes, or may, while there are too few replicas.</summary>
    public bool Refuses(SessionExecution execution) =>
        IsMissed && CommandReach.Has(execution, CommandFlags.Write);

    /// <summary>Counts again: something has changed, or a second has passed. From any thread.</summary>
    public void Recount()
    {
        if (!IsCounting && !IsMissed)
            return;
        // The last caller has the newest numbers. The registry's lock must not be taken in here: it may be
        // held around Follow.
        lock (_lock)
            SetGate();
    }

    private string? Follow()
    {
        long wantedCount = _configuration.NumberOf("min-replicas-to-write");
        long lagSMax = _configuration.NumberOf("min-replicas-max-lag");
        lock (_lock)
        {
            Volatile.Write(ref _wantedCount, wantedCount);
            Volatile.Write(ref _lagSMax, lagSMax);
            SetGate();
        }

        return null;
    }

    private void SetGate() => _gates.Set(
        ServerGates.ReplicasMissing, IsCounting && IsMaster() && Count(_lagSMax) < _wantedCount);
}

// min-replicas-to-write: a master with fewer good replicas refuses to write. Replication is not built, so
// that there are none: any number but 0 refuses every write, as it does in a Redis whose replicas are all
// gone, and min-replicas-max-lag 0 switches that off, as in Redis. While it refuses, a gate is shut
// (ServerGates.ReplicasMissing), so that with default directives commands cost no check.

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

    /// <summary>Whether replicas are wanted.</summary>
    public bool IsSet => _gates.Has(ServerGates.ReplicasMissing);

    /// <summary>Whether a command writes, or may, while there are too few replicas.</summary>
    public bool Refuses(SessionExecution execution) =>
        IsSet && CommandReach.Has(execution, CommandFlags.Write);

    // Reads the settings under the lock: the last caller has the newest ones.
    private string? Follow()
    {
        lock (_lock)
        {
            _gates.Set(ServerGates.ReplicasMissing,
                _configuration.NumberOf("min-replicas-to-write") > 0
                    && _configuration.NumberOf("min-replicas-max-lag") > 0);
        }

        return null;
    }
}

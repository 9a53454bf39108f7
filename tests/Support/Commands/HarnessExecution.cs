using Cinnabar.Commands;
using Cinnabar.Keyspace;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>An execution of a harness: it counts what a server's would do to its locks.</summary>
internal sealed class HarnessExecution : Execution
{
    /// <summary>Makes one.</summary>
    public HarnessExecution(KeyspaceAccess access, ulong randomSeed)
        : base(access, randomSeed)
    {
    }

    /// <summary>How often handlers have let go of their keys.</summary>
    public int ReleaseCount { get; private set; }

    /// <inheritdoc/>
    public override void ReleaseKeys() => ReleaseCount++;
}

using System;
using Cinnabar.Commands;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>An execution of a harness: it counts what a server's would do to its locks.</summary>
internal sealed class HarnessExecution : Execution
{
    private readonly KeptValues _kept;

    /// <summary>Makes one.</summary>
    public HarnessExecution(KeyspaceAccess access, ulong randomSeed)
        : base(access, randomSeed) => _kept = new KeptValues(access.Keyspace);

    /// <summary>What others do as soon as they have the keys; null: nobody gets them.</summary>
    public Action? Released { get; init; }

    /// <summary>How often handlers have let go of their keys.</summary>
    public int ReleaseCount { get; private set; }

    /// <inheritdoc/>
    public override void ReleaseKeys(long costNs)
    {
        ReleaseCount++;
        Released?.Invoke();
    }

    /// <inheritdoc/>
    public override EntryView Keep(int index, EntryView entry) =>
        Released is null ? entry : _kept.Keep(index, entry);

    /// <inheritdoc/>
    public override EntryView Kept(int index) =>
        MustFinishHere && Released is not null ? _kept.At(index) : base.Kept(index);

    /// <summary>Ends a command.</summary>
    public void ReleaseKept() => _kept.Release();
}

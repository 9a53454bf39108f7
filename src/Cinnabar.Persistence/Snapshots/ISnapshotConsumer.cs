using Cinnabar.Keyspace.Snapshots;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>Makes something of a snapshot: a file. All on one thread; what it throws fails the
/// save.</summary>
public interface ISnapshotConsumer
{
    /// <summary>Begins, with the databases of the snapshot.</summary>
    void Begin(ReadOnlySpan<SnapshotDatabase> databases);

    /// <summary>Takes a key of a database with its value: each once, in any order.</summary>
    void Write(int database, EntryView entry);

    /// <summary>All keys have been taken: makes the result durable.</summary>
    void End();

    /// <summary>Gives up and removes what it has made; after <see cref="End"/> nothing.</summary>
    void Discard();
}

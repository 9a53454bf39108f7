namespace Cinnabar.Keyspace.Journaling;

/// <summary>Whether executions record what they do, and how.</summary>
public sealed class Recording
{
    /// <summary>
    /// Where it goes; null: nothing is recorded. Changed only by an execution that holds all stripes, so it
    /// is the same from an execution's first change to its commit.
    /// </summary>
    public IJournal? Journal { get; set; }

    /// <summary>Whether replicas get what is recorded. Changed as <see cref="Journal"/> is.</summary>
    public bool HasReplicas { get; set; }

    /// <summary>The commands that may be recorded.</summary>
    public CommandLevel Level { get; set; } = CommandLevel.Newest;

    /// <summary>Whether the removal of a key past its deadline is recorded as UNLINK, not as DEL
    /// (<c>lazyfree-lazy-expire</c>).</summary>
    public bool IsExpiryLazy { get; set; }

    /// <summary>Likewise for a key that is evicted (<c>lazyfree-lazy-eviction</c>).</summary>
    public bool IsEvictionLazy { get; set; }
}

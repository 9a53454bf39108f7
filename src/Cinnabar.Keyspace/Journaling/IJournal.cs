namespace Cinnabar.Keyspace.Journaling;

/// <summary>
/// Receives what executions did, as commands in Redis's protocol: for the append-only file, and for replicas.
/// An execution claims a place for its unit, fills it in and publishes it while it holds the stripes of what
/// it changed. So units that touch the same key have their order from the stripe's lock.
/// </summary>
public interface IJournal
{
    /// <summary>Claims the next place. The caller fills in every byte and publishes the claim before it
    /// releases its stripes; it must not claim another place before.</summary>
    JournalClaim Claim(in JournalUnit unit);

    /// <summary>Lets the journal have a claimed place, which is filled in.</summary>
    void Publish(in JournalClaim claim);

    /// <summary>Appends commands that only the one or the other gets. Where they change no data (PUBLISH) the
    /// caller need not hold a stripe.</summary>
    void AppendFor(JournalAudience audience, ReadOnlySpan<byte> commands);
}

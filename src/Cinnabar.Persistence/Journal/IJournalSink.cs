namespace Cinnabar.Persistence.Journal;

/// <summary>
/// Reads the journal as it is drained: one stream of commands, as a client would send them, with SELECT,
/// MULTI and EXEC where they belong. One thread at a time calls it, and no producer waits for what it does
/// but those that find the ring full: so it must not wait for a stripe. It does not throw: a sink that fails
/// keeps that to itself.
/// </summary>
public interface IJournalSink
{
    /// <summary>Whether it gets what is for replicas only.</summary>
    bool IsForReplicas => false;

    /// <summary>Takes the next bytes of the stream; they are valid during the call.</summary>
    /// <param name="offset">Bytes of the stream before them, without those that are for replicas
    /// only.</param>
    /// <param name="bytes">The bytes. A command may continue in the next call.</param>
    void Write(long offset, ReadOnlySpan<byte> bytes);

    /// <summary>Takes bytes for a file of the stream: an annotation, which is no command and has no offset.
    /// It stands between two commands, and not within a transaction.</summary>
    void WriteAnnotation(ReadOnlySpan<byte> bytes);

    /// <summary>The stream's next bytes are those after a snapshot's moment; they begin with
    /// SELECT.</summary>
    /// <param name="offset">Bytes of the stream before the moment.</param>
    void Switch(long offset);

    /// <summary>All records up to a position have been given.</summary>
    void EndDrain(long position);
}

namespace Cinnabar.Engine.Sessions;

/// <summary>Where a session's output comes from that no command has written: the stream and the data of a
/// replica. The loop takes as much as the peer does.</summary>
internal interface IOutputFeed
{
    /// <summary>Bytes that wait to be taken; they count against the session's output limit.</summary>
    long WaitingBytes { get; }

    /// <summary>Takes the next bytes that lie together; on the session's loop.</summary>
    /// <param name="segment">The bytes; their reference is the caller's.</param>
    /// <returns>False where there are none now.</returns>
    bool TryTake(out OutputSegment segment);

    /// <summary>Has the loop take what there is, in a later turn. From any thread.</summary>
    void Wake();

    /// <summary>The session is closed; on its loop.</summary>
    void Close();
}

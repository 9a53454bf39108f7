namespace Cinnabar.Transport.Uring;

/// <summary>What a loop has its ring do.</summary>
internal enum UringOperation : byte
{
    /// <summary>A cancellation of anything but a connection's: its completion says nothing that the others do
    /// not.</summary>
    Cancel,

    /// <summary>The receive of a connection.</summary>
    Receive,

    /// <summary>The wait for the end of a connection.</summary>
    Watch,

    /// <summary>The wait until a connection takes output again.</summary>
    AwaitRoom,

    /// <summary>A send.</summary>
    Send,

    /// <summary>The accept of a listener.</summary>
    Accept,

    /// <summary>The read of the event by which threads without a ring wake the loop.</summary>
    WakeUp,

    /// <summary>A message of another loop, which wakes this one.</summary>
    Message,

    /// <summary>The sending of such a message.</summary>
    MessageSending,

    /// <summary>The cancellation of a receive.</summary>
    CancelReceive,

    /// <summary>The cancellation of the wait for an end.</summary>
    CancelWatch,

    /// <summary>The cancellation of a wait for room.</summary>
    CancelAwaitRoom,
}

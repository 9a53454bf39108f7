namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>What can fail in the simulated kernel.</summary>
internal enum SimulatedCall
{
    /// <summary>A call to the ring, whatever for.</summary>
    Enter,

    /// <summary>One that submits entries.</summary>
    Submit,

    /// <summary>One that waits for a time and submits nothing.</summary>
    Wait,

    Accept,

    Receive,

    /// <summary>A receive whose connection is broken.</summary>
    ReceiveBroken,

    Send,

    /// <summary>A send whose connection is broken.</summary>
    SendBroken,

    /// <summary>A poll of a connection.</summary>
    Poll,

    /// <summary>The read of the event.</summary>
    Read,

    Cancel,

    /// <summary>The message to another ring.</summary>
    Message,
}

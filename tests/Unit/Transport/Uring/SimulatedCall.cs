namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>What can fail in the simulated kernel.</summary>
internal enum SimulatedCall
{
    /// <summary>The making of a ring.</summary>
    Setup,

    /// <summary>The mapping of a part of a ring.</summary>
    Map,

    /// <summary>The registration of buffers.</summary>
    Register,

    /// <summary>The enabling of a ring.</summary>
    Enable,

    /// <summary>The making of an event.</summary>
    Event,

    /// <summary>The making of a pair of sockets.</summary>
    Pair,

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

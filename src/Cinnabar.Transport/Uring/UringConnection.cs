using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Uring;

/// <summary>What a loop knows of a descriptor.</summary>
[SupportedOSPlatform("linux")]
internal struct UringConnection
{
    /// <summary>The value of <see cref="End"/> while no end was received.</summary>
    public const int NotEnded = int.MinValue;

    /// <summary>Its session; null: the descriptor is not a connection of this loop, or is being closed.
    /// </summary>
    public Session? Session;

    /// <summary>What is below its TLS; null where there is none.</summary>
    public UringWire? Wire;

    /// <summary>What came while the session took no input.</summary>
    public UringStash Stash;

    /// <summary>Which use of the descriptor this is; the marks of its operations carry it.</summary>
    public uint Generation;

    /// <summary>The turn in which bytes were last given to the session.</summary>
    public uint Turn;

    /// <summary>The result of a receive that ended the input and has not been reported: 0, or an error.
    /// </summary>
    public int End;

    /// <summary>The events of the peer's end that the poll has reported.</summary>
    public uint Seen;

    /// <summary>The result of the send that was prepared ahead.</summary>
    public int SendResult;

    public UringSending Sending;

    /// <summary>What is in flight.</summary>
    public UringUses InFlight;

    /// <summary>Whether the session takes input.</summary>
    public bool IsReading;

    /// <summary>Whether its receive is being canceled.</summary>
    public bool IsCanceling;

    /// <summary>Whether the descriptor is closed once nothing is in flight.</summary>
    public bool IsClosing;
}

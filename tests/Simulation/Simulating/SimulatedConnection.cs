using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>A connection without a socket: bytes on their way, and how much its send buffer takes.</summary>
internal sealed class SimulatedConnection
{
    /// <summary>The session at the server's end.</summary>
    public required Session Session { get; init; }

    /// <summary>Bytes that the client has sent and the loop has not received, from <see cref="InboundStart"/>
    /// on.</summary>
    public List<byte> Inbound { get; } = [];

    /// <summary>The first of them.</summary>
    public int InboundStart { get; set; }

    /// <summary>Bytes that reached the client.</summary>
    public List<byte> Outbound { get; } = [];

    /// <summary>Bytes that the send buffer takes before it is full.</summary>
    public long SendRoom { get; set; }

    /// <summary>Whether the loop waits to hear that there is room again.</summary>
    public bool IsAwaitingRoom { get; set; }

    /// <summary>Segments of a send that has not ended; null: there is none.</summary>
    public OutputSegment[]? Pending { get; set; }

    /// <summary>Whether the loop wants the input.</summary>
    public bool IsReading { get; set; } = true;

    /// <summary>Whether the loop has closed it.</summary>
    public bool IsClosed { get; set; }

    /// <summary>Whether sends fail from now on.</summary>
    public bool IsBroken { get; set; }

    /// <summary>Whether the client reads nothing for now: its send buffer stays as full as it is.</summary>
    public bool IsStalled { get; set; }

    /// <summary>Whether the client has ended its side; it still reads.</summary>
    public bool IsEnded { get; set; }

    /// <summary>Whether all that the client had sent when it ended its side must be answered.</summary>
    public bool MustAnswerAll =>
        IsEnded && !IsBroken && !Session.IsKilled && Session.LastCommand?.Id != CommandId.Quit;

    /// <summary>Bytes that wait to be received.</summary>
    public int InboundCount => Inbound.Count - InboundStart;

    /// <summary>Moves bytes that were received to a place.</summary>
    public void TakeInbound(Span<byte> place)
    {
        CollectionsMarshal.AsSpan(Inbound).Slice(InboundStart, place.Length).CopyTo(place);
        InboundStart += place.Length;
        if (InboundStart != Inbound.Count)
            return;
        Inbound.Clear();
        InboundStart = 0;
    }
}

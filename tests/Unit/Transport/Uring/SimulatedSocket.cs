using System;
using System.Collections.Generic;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A connection of the simulated kernel, from its peer's side and the server's.</summary>
internal sealed class SimulatedSocket(int roomMax)
{
    private readonly int _roomMax = roomMax;
    private int _ring = -1;

    /// <summary>What the peer has sent and the server not received.</summary>
    public Queue<byte> Input { get; } = new();

    /// <summary>What the server has sent and the peer not read.</summary>
    public Queue<byte> Output { get; } = new();

    /// <summary>Whether the peer sends no more.</summary>
    public bool IsInputEnded { get; set; }

    /// <summary>Whether the peer has reset the connection.</summary>
    public bool IsReset { get; set; }

    /// <summary>Whether the server has closed it.</summary>
    public bool IsClosed { get; set; }

    /// <summary>The other one of a pair, which gets what this one takes; null: a client does.</summary>
    public SimulatedSocket? Peer { get; init; }

    /// <summary>How many bytes it takes from the server.</summary>
    public int Room => _roomMax - Output.Count;

    /// <summary>Takes bytes of the server's.</summary>
    public unsafe void Take(byte* data, int count)
    {
        Queue<byte> queue = Peer?.Input ?? Output;
        for (int index = 0; index < count; index++)
            queue.Enqueue(data[index]);
    }

    /// <summary>Takes the first bytes of segments.</summary>
    public unsafe void Take(OutputSegment* segments, long count)
    {
        for (; count > 0; segments++)
        {
            int part = (int)Math.Min(count, segments->Length);
            Take(segments->Data, part);
            count -= part;
        }
    }

    /// <summary>Notes that an operation of a ring begins.</summary>
    /// <returns>Whether the earlier ones were of another ring.</returns>
    public bool BeginOn(int ring)
    {
        bool hasMoved = _ring >= 0 && _ring != ring;
        _ring = ring;
        return hasMoved;
    }

    /// <summary>Ends it, from the server's side.</summary>
    public void Close()
    {
        IsClosed = true;
        if (Peer is { } peer)
            peer.IsInputEnded = true;
    }
}

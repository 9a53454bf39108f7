using System;

namespace Cinnabar.Load.Servers;

/// <summary>A connection of the null server over io_uring: replies collect in one buffer while another is
/// being sent.</summary>
internal sealed class RingConnection
{
    private const int FirstSize = 16 * 1024;

    /// <summary>Its position in a request.</summary>
    public FloorConnection Requests { get; } = new();

    /// <summary>Replies that wait; pinned.</summary>
    public byte[] Waiting { get; private set; } = Allocate(FirstSize);

    /// <summary>Bytes of them.</summary>
    public int WaitingSize { get; set; }

    /// <summary>Replies that are being sent; pinned.</summary>
    public byte[] Sending { get; private set; } = Allocate(FirstSize);

    /// <summary>The part of them that is not sent: from here.</summary>
    public int SentSize { get; set; }

    /// <summary>To here; 0: nothing is being sent.</summary>
    public int SendingSize { get; set; }

    /// <summary>Whether a receive is in flight.</summary>
    public bool IsReceiving { get; set; }

    /// <summary>Whether it was canceled, since the client does not take its replies.</summary>
    public bool IsPaused { get; set; }

    /// <summary>Whether the connection ends as soon as nothing is in flight.</summary>
    public bool IsEnding { get; set; }

    /// <summary>Whether it is among those that have replies to send.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Makes room for more replies.</summary>
    public void Grow(int replySizeMax)
    {
        byte[] larger = Allocate((Waiting.Length * 2) + replySizeMax);
        Waiting.AsSpan(0, WaitingSize).CopyTo(larger);
        Waiting = larger;
    }

    /// <summary>Begins to send what waits.</summary>
    public void BeginSending()
    {
        (Waiting, Sending) = (Sending, Waiting);
        (SendingSize, SentSize, WaitingSize) = (WaitingSize, 0, 0);
    }

    private static byte[] Allocate(int size) => GC.AllocateUninitializedArray<byte>(size, pinned: true);
}

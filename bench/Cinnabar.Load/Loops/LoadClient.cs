using System;
using System.Runtime.InteropServices;
using Cinnabar.Load.Replies;
using Cinnabar.Load.Requests;

namespace Cinnabar.Load.Loops;

/// <summary>A <see cref="LoadLoop"/>'s state of a connection.</summary>
internal sealed unsafe class LoadClient(RequestStream requests) : IDisposable
{
    // A field, for it is a value that changes.
    public ReplySkipper Replies;

    private byte* _unsent;
    private int _unsentAt;

    /// <summary>Where its requests come from.</summary>
    public RequestStream Requests { get; } = requests;

    /// <summary>How many requests it may still send.</summary>
    public long Left { get; set; }

    /// <summary>How many requests have no reply yet.</summary>
    public int OpenCount { get; set; }

    /// <summary>From when the latency of its batch counts, in ticks.</summary>
    public long CountsFrom { get; set; }

    /// <summary>When its last batch was answered, in ticks.</summary>
    public long FreeSince { get; set; }

    /// <summary>The place in the round of commands of the next reply.</summary>
    public int ReplyPlace { get; set; } = requests.Start;

    /// <summary>How many bytes of its batch are not sent yet.</summary>
    public int UnsentSize { get; private set; }

    /// <summary>The bytes that are not sent yet.</summary>
    // SAFETY: _unsent holds _unsentAt + UnsentSize bytes from Keep to the next Keep or Dispose.
    public byte* Unsent => _unsent + _unsentAt;

    /// <summary>Keeps what did not fit the socket.</summary>
    public void Keep(byte* data, int size)
    {
        _unsent = (byte*)NativeMemory.Realloc(_unsent, (nuint)size);
        new ReadOnlySpan<byte>(data, size).CopyTo(new Span<byte>(_unsent, size));
        (_unsentAt, UnsentSize) = (0, size);
    }

    /// <summary>Notes that some of what was kept has been sent.</summary>
    public void Sent(int size)
    {
        _unsentAt += size;
        UnsentSize -= size;
    }

    public void Dispose()
    {
        NativeMemory.Free(_unsent);
        _unsent = null;
    }
}

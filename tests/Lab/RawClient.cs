using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Tests.Lab;

/// <summary>Sends and reads bytes as they are. Characters of texts are bytes (Latin-1).</summary>
internal sealed class RawClient : IDisposable
{
    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private readonly Socket _socket;

    /// <summary>Connects to a server on this machine.</summary>
    public RawClient(int port)
    {
        _socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = HangMs,
            SendTimeout = HangMs,
        };
        _socket.Connect(IPAddress.Loopback, port);
    }

    /// <summary>Sends a text whole.</summary>
    public void Send(string text) => Send(Encoding.Latin1.GetBytes(text));

    /// <summary>Sends bytes whole.</summary>
    public void Send(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty) bytes = bytes[_socket.Send(bytes)..];
    }

    /// <summary>Says that nothing more will be sent.</summary>
    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>Ends with a reset, as a client that crashes with unread replies does.</summary>
    public void Reset() => _socket.Close(timeout: 0);

    /// <summary>Reads until what came ends with a text.</summary>
    public string ReadThrough(string end)
    {
        string text = Read(soFar => soFar.EndsWith(end, StringComparison.Ordinal));
        return text.EndsWith(end, StringComparison.Ordinal)
            ? text
            : throw new EndOfStreamException($"the server closed the connection after \"{text}\"");
    }

    /// <summary>Reads until the server closes the connection.</summary>
    public string ReadToEnd() => Read(static _ => false);

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private string Read(Predicate<string> isComplete)
    {
        byte[] buffer = new byte[64 * 1024];
        var text = new StringBuilder();
        int tail = 0;
        while (true)
        {
            int count = Receive(buffer);
            if (count == 0) return text.ToString();
            text.Append(Encoding.Latin1.GetString(buffer, 0, count));
            tail = Math.Max(0, text.Length - 256);
            if (isComplete(text.ToString(tail, text.Length - tail))) return text.ToString();
        }
    }

    private int Receive(byte[] buffer)
    {
        try
        {
            return _socket.Receive(buffer);
        }
        catch (SocketException error) when (error.SocketErrorCode == SocketError.ConnectionReset)
        {
            // Closed before it had read all that was sent: an end as well.
            return 0;
        }
    }
}

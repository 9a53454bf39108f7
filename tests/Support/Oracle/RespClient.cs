using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>A blocking client of a few lines: sends commands, reads replies of RESP2 and RESP3.</summary>
public sealed class RespClient : IDisposable
{
    private const int TimeoutMs = 60_000;
    private readonly TcpClient _socket = new() { NoDelay = true };
    private readonly RespReader _replies;

    /// <summary>Connects to a server on this machine.</summary>
    public RespClient(int port)
    {
        _socket.Connect(IPAddress.Loopback, port);
        _socket.ReceiveTimeout = TimeoutMs;
        _replies = new RespReader(new BufferedStream(_socket.GetStream()));
    }

    /// <summary>Sends a command and waits for its reply. Characters are bytes (Latin-1).</summary>
    public RespValue Call(params ReadOnlySpan<string> arguments)
    {
        _socket.GetStream().Write(Encode(arguments));
        return Read();
    }

    /// <summary>A command in RESP. Characters are bytes (Latin-1).</summary>
    public static byte[] Encode(ReadOnlySpan<string> arguments)
    {
        var request = new StringBuilder().Append('*').Append(arguments.Length).Append("\r\n");
        foreach (string argument in arguments)
            request.Append('$').Append(argument.Length).Append("\r\n").Append(argument).Append("\r\n");
        return Encoding.Latin1.GetBytes(request.ToString());
    }

    /// <summary>Reads one reply.</summary>
    public RespValue Read() => _replies.Read();

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}

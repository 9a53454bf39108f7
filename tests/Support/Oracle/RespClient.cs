using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>A blocking client of a few lines: sends commands, reads replies of RESP2 and RESP3.</summary>
public sealed class RespClient : IDisposable
{
    private const int TimeoutMs = 300_000;
    private readonly TcpClient _socket = new() { NoDelay = true };
    private readonly RespReader _replies;
    private readonly RawReplies _rawReplies;

    /// <summary>Connects to a server on this machine.</summary>
    public RespClient(int port)
    {
        _socket.Connect(IPAddress.Loopback, port);
        _socket.ReceiveTimeout = TimeoutMs;
        var input = new BufferedStream(_socket.GetStream());
        _replies = new RespReader(input);
        _rawReplies = new RawReplies(input);
    }

    /// <summary>Sends a command and waits for its reply. Characters are bytes (Latin-1).</summary>
    public RespValue Call(params ReadOnlySpan<string> arguments)
    {
        Send(arguments);
        return Read();
    }

    /// <summary>Sends a command line (words between spaces); gives its reply on one line.</summary>
    public string Run(string line) => Call(line.Split(' ')).ToString();

    /// <summary>Sends a command.</summary>
    public void Send(params ReadOnlySpan<string> arguments) => _socket.GetStream().Write(Encode(arguments));

    /// <summary>Sends bytes.</summary>
    public void SendRaw(ReadOnlySpan<byte> bytes) => _socket.GetStream().Write(bytes);

    /// <summary>Sends commands in one piece and reads their replies.</summary>
    public RespValue[] CallAll(IEnumerable<byte[][]> commands)
    {
        byte[][][] all = [.. commands];
        var request = new MemoryStream();
        foreach (byte[][] command in all)
            Encode(request, command);
        _socket.GetStream().Write(request.GetBuffer().AsSpan(0, (int)request.Length));
        var replies = new RespValue[all.Length];
        for (int index = 0; index < replies.Length; index++)
            replies[index] = Read();
        return replies;
    }

    /// <summary>Sends bytes over a connection of their own, ends it, and reads all that comes back.</summary>
    public static string Exchange(int port, ReadOnlySpan<byte> bytes)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        socket.ReceiveTimeout = TimeoutMs;
        socket.Connect(IPAddress.Loopback, port);
        using var stream = new NetworkStream(socket);
        using var reader = new StreamReader(stream, Encoding.Latin1);
        stream.Write(bytes);
        socket.Shutdown(SocketShutdown.Send);
        return reader.ReadToEnd();
    }

    /// <summary>A command in RESP. Characters are bytes (Latin-1).</summary>
    public static byte[] Encode(ReadOnlySpan<string> arguments)
    {
        var request = new StringBuilder().Append('*').Append(arguments.Length).Append("\r\n");
        foreach (string argument in arguments)
            request.Append('$').Append(argument.Length).Append("\r\n").Append(argument).Append("\r\n");
        return Encoding.Latin1.GetBytes(request.ToString());
    }

    private static void Encode(MemoryStream request, byte[][] command)
    {
        request.Write(Encoding.ASCII.GetBytes($"*{command.Length}\r\n"));
        foreach (byte[] argument in command)
        {
            request.Write(Encoding.ASCII.GetBytes($"${argument.Length}\r\n"));
            request.Write(argument);
            request.Write("\r\n"u8);
        }
    }

    /// <summary>Whether bytes have come that no read has taken.</summary>
    public bool HasInput => _socket.Available > 0;

    /// <summary>Reads one reply.</summary>
    public RespValue Read() => _replies.Read();

    /// <summary>Reads one reply as the bytes that it is (Latin-1).</summary>
    public string ReadRaw() => _rawReplies.Read();

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}

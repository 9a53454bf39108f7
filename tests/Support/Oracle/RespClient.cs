using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>A blocking client of a few lines: sends commands, reads replies of RESP2 and RESP3.</summary>
public sealed class RespClient : IDisposable
{
    private const int TimeoutMs = 20_000;
    private readonly TcpClient _socket = new() { NoDelay = true };
    private readonly Stream _input;

    /// <summary>Connects to a server on this machine.</summary>
    public RespClient(int port)
    {
        _socket.Connect(IPAddress.Loopback, port);
        _socket.ReceiveTimeout = TimeoutMs;
        _input = new BufferedStream(_socket.GetStream());
    }

    /// <summary>Sends a command and waits for its reply. Characters are bytes (Latin-1).</summary>
    public RespValue Call(params ReadOnlySpan<string> arguments)
    {
        var request = new StringBuilder().Append('*').Append(arguments.Length).Append("\r\n");
        foreach (string argument in arguments)
            request.Append('$').Append(argument.Length).Append("\r\n").Append(argument).Append("\r\n");
        _socket.GetStream().Write(Encoding.Latin1.GetBytes(request.ToString()));
        return Read();
    }

    /// <summary>Reads one reply.</summary>
    public RespValue Read()
    {
        string line = ReadLine();
        char kind = line[0];
        string text = line[1..];
        switch (kind)
        {
            case '$' or '=' or '!' when text != "-1":
                return new RespValue(kind, ReadBytes(Number(text)), []);
            case '*' or '~' or '>' when text != "-1":
                return new RespValue(kind, "", ReadItems(Number(text)));
            case '%' or '|':
                return new RespValue(kind, "", ReadItems(Number(text) * 2));
            case '$' or '*':
                return new RespValue('_', "", []);
            default:
                return new RespValue(kind, text, []);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private RespValue[] ReadItems(int count)
    {
        var items = new RespValue[count];
        for (int i = 0; i < count; i++) items[i] = Read();
        return items;
    }

    private string ReadBytes(int length)
    {
        var bytes = new byte[length + 2];
        _input.ReadExactly(bytes);
        return Encoding.Latin1.GetString(bytes, 0, length);
    }

    private string ReadLine()
    {
        var line = new StringBuilder();
        for (int c = _input.ReadByte(); c != '\n'; c = _input.ReadByte())
        {
            if (c < 0) throw new EndOfStreamException("the server closed the connection");
            line.Append((char)c);
        }

        return line.ToString(0, line.Length - 1);
    }
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

/// <summary>A redis-server and a connection to it that takes many commands in one piece.</summary>
public sealed class OracleSession : IDisposable
{
    private readonly OracleServer? _server;
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp);
    private byte[] _input = new byte[1 << 16];
    private int _inputSize;

    public OracleSession()
    {
        if (OracleServer.IsInstalled)
        {
            _server = OracleServer.Start();
            _socket.Connect(IPAddress.Loopback, _server.Port);
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _server?.Dispose();
    }

    /// <summary>Skips the test where there is no redis-server.</summary>
    internal void Require() => Assert.SkipWhen(_server == null, "redis-server is not installed");

    /// <summary>Sends commands in one piece and reads their replies.</summary>
    internal List<Reply> Ask(IEnumerable<byte[][]> commands)
    {
        using MemoryStream request = new();
        int count = 0;
        foreach (byte[][] command in commands)
        {
            request.Write(Encoding.ASCII.GetBytes($"*{command.Length}\r\n"));
            foreach (byte[] argument in command)
            {
                request.Write(Encoding.ASCII.GetBytes($"${argument.Length}\r\n"));
                request.Write(argument);
                request.Write("\r\n"u8);
            }

            count++;
        }

        _socket.Send(request.ToArray());
        List<Reply> replies = [];
        while (replies.Count < count)
        {
            replies.Add(Receive());
        }

        return replies;
    }

    /// <summary>Sends one command and reads its reply.</summary>
    internal Reply Ask(params string[] command)
        => Ask([Array.ConvertAll(command, Encoding.Latin1.GetBytes)])[0];

    /// <summary>Sends bytes over a connection of their own, ends it, and reads all that comes back.</summary>
    internal string Exchange(byte[] bytes)
    {
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(IPAddress.Loopback, _server!.Port);
        using NetworkStream stream = new(socket);
        using StreamReader reader = new(stream, Encoding.Latin1);
        stream.Write(bytes);
        socket.Shutdown(SocketShutdown.Send);
        return reader.ReadToEnd();
    }

    private Reply Receive()
    {
        while (true)
        {
            ReplyReadOutcome outcome = ReplyReader.Read(
                _input.AsSpan(0, _inputSize), out Reply? reply, out int consumed);
            if (outcome == ReplyReadOutcome.Complete)
            {
                _input.AsSpan(consumed, _inputSize - consumed).CopyTo(_input);
                _inputSize -= consumed;
                return reply!;
            }

            Assert.Equal(ReplyReadOutcome.NeedMore, outcome);
            if (_inputSize == _input.Length)
            {
                Array.Resize(ref _input, _input.Length * 2);
            }

            int size = _socket.Receive(_input, _inputSize, _input.Length - _inputSize, SocketFlags.None);
            Assert.True(size > 0, "redis-server closed the connection");
            _inputSize += size;
        }
    }
}

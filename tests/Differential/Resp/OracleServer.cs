using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

/// <summary>A redis-server of its own on a free port, without files, and one connection to it.</summary>
public sealed class OracleServer : IDisposable
{
    private const string Program = "/usr/bin/redis-server";

    private readonly Process? _process;
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp);
    private byte[] _input = new byte[1 << 16];
    private int _inputSize;

    public OracleServer()
    {
        if (!File.Exists(Program))
        {
            return;
        }

        int port = FreePort();
        string[] arguments =
        [
            "--port", $"{port}", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
            "--enable-debug-command", "yes", "--logfile", "/dev/null", "--dir", Path.GetTempPath(),
        ];
        _process = Process.Start(Program, arguments);
        Connect(port);
    }

    public void Dispose()
    {
        _socket.Dispose();
        _process?.Kill();
        _process?.WaitForExit();
        _process?.Dispose();
    }

    /// <summary>Skips the test where there is no redis-server.</summary>
    internal void Require() => Assert.SkipWhen(_process == null, "redis-server is not installed");

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

    private static int FreePort()
    {
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private void Connect(int port)
    {
        for (int attempt = 0; ; attempt++)
        {
            try
            {
                _socket.Connect(IPAddress.Loopback, port);
                return;
            }
            catch (SocketException) when (attempt < 200)
            {
                Thread.Sleep(25);
            }
        }
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

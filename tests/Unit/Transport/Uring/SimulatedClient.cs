using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.Versioning;
using System.Text;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A client of the simulated kernel: it sends numbered requests in random pieces, reads slowly, and
/// checks that each is answered once and in order; then it ends its input, or resets the connection, then or
/// before.
/// </summary>
/// <param name="kernel">The kernel.</param>
/// <param name="index">Its number among the clients.</param>
/// <param name="random">Decides.</param>
[SupportedOSPlatform("linux")]
internal sealed class SimulatedClient(SimulatedKernel kernel, int index, RandomSource random)
{
    private const int RequestCount = 60;
    private const int SizeMax = 3000;
    private const int RoomMin = 500;
    private const ulong ResetEvery = 500;

    private readonly SimulatedSocket _socket = kernel.Sockets.Connect(RoomMin + (int)random.NextBelow(4000));
    private readonly int _index = index;
    private readonly Queue<byte> _unsent = new();
    private readonly Queue<byte> _expected = new();
    private readonly bool _resets = random.NextBelow(4) == 0;
    private RandomSource _random = random;
    private int _askedCount;

    /// <summary>Its connection.</summary>
    public SimulatedSocket Socket => _socket;

    /// <summary>Whether the server does not read from it now: it goes on, but does not end its input.
    /// </summary>
    public bool IsStopped { get; set; }

    /// <summary>Whether all is done: the connection is closed.</summary>
    public bool IsDone { get; private set; }

    /// <summary>Whether its input has ended, and how it ends is up to the server.</summary>
    public bool IsEnding => _socket.IsInputEnded || _socket.IsReset;

    /// <summary>Does one of the things that it can do.</summary>
    public void Act()
    {
        switch (_random.NextBelow(3))
        {
            case 0:
                Ask();
                break;
            case 1:
                SendSome();
                break;
            default:
                ReadSome();
                break;
        }

        bool hasSentAll = _askedCount == RequestCount && _unsent.Count == 0 && _socket.Input.Count == 0;
        if (!IsEnding && _resets && (hasSentAll || _random.NextBelow(ResetEvery) == 0))
            _socket.IsReset = true;
        else if (!IsEnding && hasSentAll && !IsStopped)
            _socket.IsInputEnded = true;

        if (!_socket.IsClosed || _socket.Output.Count > 0 && !_resets)
            return;
        Assert.True(IsEnding, "the server closes no connection by itself");
        Assert.True(_resets || _expected.Count == 0, "all replies have come before the end");
        IsDone = true;
    }

    private void Ask()
    {
        if (_askedCount == RequestCount)
            return;
        _askedCount++;
        string text = string.Create(CultureInfo.InvariantCulture, $"{_index}:{_askedCount}:");
        int length = text.Length + (int)_random.NextBelow(SizeMax);
        text = text.PadRight(length, (char)('a' + (_askedCount % 26)));
        string body = $"${text.Length}\r\n{text}\r\n";
        Append(_unsent, $"*2\r\n$4\r\nECHO\r\n{body}");
        Append(_expected, body);
    }

    private void SendSome()
    {
        for (ulong left = _random.NextBelow((ulong)_unsent.Count + 1); left > 0; left--)
            _socket.Input.Enqueue(_unsent.Dequeue());
    }

    private void ReadSome()
    {
        for (ulong left = _random.NextBelow((ulong)_socket.Output.Count + 1); left > 0; left--)
        {
            Assert.True(_expected.Count > 0, "a reply too many");
            Assert.Equal(_expected.Dequeue(), _socket.Output.Dequeue());
        }
    }

    private static void Append(Queue<byte> queue, string text)
    {
        foreach (byte one in Encoding.ASCII.GetBytes(text))
            queue.Enqueue(one);
    }
}

using System;
using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Load.Replies;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Listening;

/// <summary>Connections that have subscribed to a channel, and a thread that reads them all.</summary>
internal sealed unsafe class Subscribers : IDisposable
{
    private const int BufferSize = 1 << 18;
    private const int ReadyCountMax = 256;
    private const int TimeoutMs = 60_000;
    private static readonly TimeSpan s_waitTime = TimeSpan.FromMilliseconds(20);
    private readonly EpollTransport _transport = new();
    private readonly ReplySkipper[] _replies;
    private readonly Thread _thread;
    private readonly byte* _buffer = (byte*)NativeMemory.Alloc(BufferSize);
    private long _count;
    private volatile bool _isDisposed;
    private volatile string? _failure;

    /// <summary>Opens the connections and begins to read.</summary>
    /// <param name="server">The server.</param>
    /// <param name="channel">The channel.</param>
    /// <param name="count">How many connections.</param>
    /// <param name="core">The core of the thread; null: any.</param>
    public Subscribers(ServerAddress server, string channel, int count, int? core)
    {
        _replies = new ReplySkipper[count];
        for (int index = 0; index < count; index++)
            _transport.Add(ServerLink.Open(server, new SessionOptions { Channel = channel }));
        _thread = new Thread(() => Run(core)) { Name = "bench-subscribers", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Waits until all connections together have received so many messages.</summary>
    /// <exception cref="LoadException">They do not within a minute.</exception>
    public void Await(long count)
    {
        long start = Stopwatch.GetTimestamp();
        while (Volatile.Read(ref _count) < count)
        {
            if (_failure is not null) throw new LoadException($"the subscribers ended: {_failure}");
            if (Stopwatch.GetElapsedTime(start).TotalMilliseconds > TimeoutMs)
                throw new LoadException($"{_count} of {count} messages came");
            Thread.Sleep(1);
        }
    }

    public void Dispose()
    {
        _isDisposed = true;
        _thread.Join();
        _transport.Dispose();
        NativeMemory.Free(_buffer);
    }

    // SAFETY: _buffer is freed when the thread has ended.
    private void Run(int? core)
    {
        if (core is { } number) ProcessorPin.ThisThread(number);
        int[] ready = new int[ReadyCountMax];
        try
        {
            while (!_isDisposed)
            {
                int count = _transport.Wait(ready, (long)s_waitTime.TotalNanoseconds);
                for (int at = 0; at < count; at++) Read(ready[at]);
            }
        }
        catch (Exception failure) when (failure is SocketException or LoadException)
        {
            _failure = failure.Message;
        }
    }

    // Input is reported once: a full buffer may have left some.
    private void Read(int index)
    {
        int size;
        do
        {
            size = _transport.Receive(index, _buffer, BufferSize);
            Volatile.Write(ref _count, _count + _replies[index].Consume(_buffer, size));
        }
        while (size == BufferSize);
    }
}

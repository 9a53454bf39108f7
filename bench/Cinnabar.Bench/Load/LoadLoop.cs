using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Cinnabar.Bench.Load;

/// <summary>
/// The load generator: one thread, a number of connections, each with one batch of a plan under way; when all
/// replies to it have come, its next batch is sent.
///
/// It must cost less than the server, or it would be measured itself. So requests are taken from a plan built
/// ahead, and replies are counted by their bytes. What is counted is guarded three ways: <see
/// cref="ReplyCheck"/> read replies to the same plan before; each batch's replies must begin with the byte
/// they should begin with, and end with a line's end exactly where their planned size ends; and a byte too
/// many is an error.
/// </summary>
internal sealed unsafe class LoadLoop : IDisposable
{
    private const int BufferSize = 256 * 1024;
    private const int StallMs = 10_000;
    private readonly ILoadTransport _transport;
    private readonly Connection[] _connections;
    private readonly int[] _ready;
    private readonly byte* _buffer;
    private RequestPlan? _plan;
    private LatencyHistogram _latency = new();
    private int _next;
    private int _left;
    private int _active;
    private long _operations;

    /// <summary>Opens the connections to a port of this machine.</summary>
    public LoadLoop(ILoadTransport transport, int port, int connectionCount)
    {
        _transport = transport;
        _connections = new Connection[connectionCount];
        _ready = new int[Math.Min(connectionCount, 256)];
        for (int index = 0; index < connectionCount; index++) _transport.Open(port);
        _buffer = (byte*)NativeMemory.AlignedAlloc(BufferSize, 4096);
    }

    /// <summary>The transport that this system runs fastest on.</summary>
    public static ILoadTransport NewTransport() =>
        OperatingSystem.IsLinux() ? new EpollTransport() : new SocketTransport();

    /// <summary>Goes round the plan for a time; batches under way then are awaited and counted.</summary>
    /// <exception cref="LoadException">A reply was wrong, or none came for 10 s.</exception>
    public LoadResult RunFor(RequestPlan plan, double seconds) =>
        Run(plan, int.MaxValue, Stopwatch.GetTimestamp() + (long)(seconds * Stopwatch.Frequency));

    /// <summary>Sends every batch of the plan once.</summary>
    /// <exception cref="LoadException">A reply was wrong, or none came for 10 s.</exception>
    public LoadResult RunOnce(RequestPlan plan)
    {
        _next = 0;
        return Run(plan, plan.Batches.Length, long.MaxValue);
    }

    public void Dispose()
    {
        _transport.Dispose();
        NativeMemory.AlignedFree(_buffer);
    }

    private LoadResult Run(RequestPlan plan, int batchCount, long endsAt)
    {
        _plan = plan;
        _latency = new LatencyHistogram();
        _left = batchCount;
        _operations = 0;
        if (_next >= plan.Batches.Length) _next = 0;
        double cpu = LoadThread.CpuSeconds();
        long start = Stopwatch.GetTimestamp();
        for (int index = 0; index < _connections.Length && _left > 0; index++)
            Begin(index, Stopwatch.GetTimestamp());
        while (_active > 0) Turn(endsAt);
        return new LoadResult(_operations, Stopwatch.GetElapsedTime(start).TotalSeconds,
            LoadThread.CpuSeconds() - cpu, _latency);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Turn(long endsAt)
    {
        int count = _transport.Wait(_ready, StallMs);
        if (count == 0) throw new LoadException($"no reply for {StallMs} ms");
        for (int index = 0; index < count; index++)
        {
            int connection = _ready[index];
            if (_connections[connection].UnsentSize > 0) Flush(connection);
            int size = _transport.Receive(connection, _buffer, BufferSize);
            if (size == 0 || !Count(ref _connections[connection], size)) continue;
            long now = Stopwatch.GetTimestamp();
            Finish(ref _connections[connection], now);
            if (now < endsAt && _left > 0) Begin(connection, now);
        }
    }

    // Counts received bytes; true when the batch has all its replies.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Count(ref Connection connection, int size)
    {
        int left = connection.ReplySize - size;
        bool isWrong = left < 0 || (!connection.IsReplyBegun && _buffer[0] != connection.FirstByte)
            || (left == 0 && _buffer[size - 1] != '\n');
        if (isWrong) throw Unexpected(size, left);
        connection.ReplySize = left;
        connection.IsReplyBegun = true;
        return left == 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Finish(ref Connection connection, long now)
    {
        long ns = (long)((now - connection.SentAt) * (1e9 / Stopwatch.Frequency));
        _latency.Record(ns, connection.Count);
        _operations += connection.Count;
        _active--;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Begin(int index, long now)
    {
        PlanBatch batch = _plan!.Batches[_next];
        if (++_next == _plan.Batches.Length) _next = 0;
        ref Connection connection = ref _connections[index];
        connection.ReplySize = batch.ReplySize;
        connection.Count = batch.Count;
        connection.FirstByte = batch.FirstByte;
        connection.IsReplyBegun = false;
        connection.SentAt = now;
        _left--;
        _active++;
        byte* data = _plan.Data(batch);
        int sent = _transport.Send(index, data, batch.Size);
        if (sent == batch.Size) return;
        connection.Unsent = data + sent;
        connection.UnsentSize = batch.Size - sent;
        _transport.WatchOutput(index, true);
    }

    private void Flush(int index)
    {
        ref Connection connection = ref _connections[index];
        int sent = _transport.Send(index, connection.Unsent, connection.UnsentSize);
        connection.Unsent += sent;
        connection.UnsentSize -= sent;
        if (connection.UnsentSize == 0) _transport.WatchOutput(index, false);
    }

    private LoadException Unexpected(int size, int left)
    {
        string text = Encoding.Latin1.GetString(_buffer, Math.Min(size, 80));
        return new LoadException($"a reply of another kind or size than planned ({left} bytes left): {text}");
    }
}

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cinnabar.Bench.Load;

/// <summary>
/// Load at a set speed on some connections, and on some more a client that asks on a schedule and times its
/// answers.
///
/// One thread does both and never sleeps, so its own delays stay within a turn of the loop; it counts these
/// too (<see cref="Pauses"/>), because what the machine takes from the load generator looks like the server's
/// doing. A probe's time runs from when it was due, and probes do not wait for each other as long as one of
/// their connections is free: where the server pauses, all probes that fall into the pause count.
/// </summary>
internal sealed unsafe class PacedLoop : IDisposable
{
    private const int BufferSize = 64 * 1024;
    private const int ProbeConnectionCount = 8;
    private const int StallSeconds = 10;
    private static readonly long s_probeTicks = Stopwatch.Frequency / 10_000;
    private readonly ILoadTransport _transport;
    private readonly int[] _replySizes;
    private readonly long[] _probeDues = new long[ProbeConnectionCount];
    private readonly Queue<int> _idle = new();
    private readonly Queue<int> _idleProbes = new();
    private readonly int[] _ready = new int[16];
    private readonly byte* _buffer = (byte*)NativeMemory.Alloc(BufferSize);
    private long _lastProgress;
    private long _probeDue;
    private int _nextProbe;

    /// <summary>Opens the connections of the load, and those of the probes.</summary>
    public PacedLoop(ILoadTransport transport, int port, int connectionCount)
    {
        _transport = transport;
        _replySizes = new int[ProbeConnectionCount + connectionCount];
        for (int index = 0; index < _replySizes.Length; index++)
        {
            transport.Open(port);
            (index < ProbeConnectionCount ? _idleProbes : _idle).Enqueue(index);
        }
    }

    /// <summary>How long the probes waited.</summary>
    public LatencyHistogram Waits { get; } = new();

    /// <summary>How long the turns of this loop took: what the figures may owe to the load
    /// generator.</summary>
    public LatencyHistogram Pauses { get; } = new();

    /// <summary>Sends every batch of <paramref name="load"/> once, <paramref name="rate"/> requests a second
    /// if the server keeps up, and meanwhile single probes, one each 100 µs; gives the seconds it
    /// took.</summary>
    /// <exception cref="LoadException">A reply was wrong, or none came for 10 s.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public double Run(RequestPlan load, RequestPlan probes, double rate)
    {
        int connectionCount = _idle.Count;
        long start = Stopwatch.GetTimestamp();
        double batchTicks = Stopwatch.Frequency * load.Batches[0].Count / rate;
        int next = 0;
        long last = _lastProgress = _probeDue = start;
        while (next < load.Batches.Length || _idle.Count < connectionCount)
        {
            long now = Stopwatch.GetTimestamp();
            Pauses.Record(Nanoseconds(now - last));
            last = now;
            if (now - _lastProgress > StallSeconds * Stopwatch.Frequency)
                throw new LoadException("no reply for 10 s");
            if (now >= _probeDue && _idleProbes.TryDequeue(out int probe)) Probe(probe, probes);
            bool isDue = next < load.Batches.Length && now >= start + next * batchTicks;
            if (isDue && _idle.TryDequeue(out int idle))
                Send(idle, load, load.Batches[next++]);
            Receive();
        }
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    public void Dispose()
    {
        _transport.Dispose();
        NativeMemory.Free(_buffer);
    }

    private static long Nanoseconds(long ticks) => (long)(ticks * (1e9 / Stopwatch.Frequency));

    private void Probe(int connection, RequestPlan probes)
    {
        _probeDues[connection] = _probeDue;
        _probeDue += s_probeTicks;
        Send(connection, probes, probes.Batches[_nextProbe]);
        if (++_nextProbe == probes.Batches.Length) _nextProbe = 0;
    }

    // Batches are small and awaited before the next, so they fit the socket's buffer whole.
    private void Send(int connection, RequestPlan plan, in PlanBatch batch)
    {
        _replySizes[connection] = batch.ReplySize;
        if (_transport.Send(connection, plan.Data(batch), batch.Size) != batch.Size)
            throw new LoadException("a small batch did not fit the socket's buffer");
    }

    private void Receive()
    {
        int count = _transport.Wait(_ready, 0);
        for (int index = 0; index < count; index++)
        {
            int connection = _ready[index];
            int size = _transport.Receive(connection, _buffer, BufferSize);
            if (size == 0) continue;
            int left = _replySizes[connection] -= size;
            if (left < 0 || _buffer[0] == '-')
                throw new LoadException("a reply of another kind than planned");
            if (left > 0) continue;
            _lastProgress = Stopwatch.GetTimestamp();
            if (connection >= ProbeConnectionCount) _idle.Enqueue(connection);
            else Answered(connection, _lastProgress);
        }
    }

    private void Answered(int connection, long now)
    {
        Waits.Record(Nanoseconds(now - _probeDues[connection]));
        _idleProbes.Enqueue(connection);
    }
}

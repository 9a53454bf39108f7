using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Loops;

/// <summary>
/// One thread's share of a load: its connections, each with one batch of requests under way.
///
/// Closed loop: when all replies to a batch have come, the connection's next batch is sent; the server sets
/// the speed. Open loop: a schedule says when a batch is due, and the connection that has been free longest
/// takes it; if none is free, the batch waits. Latency counts from when a batch was due, so every request
/// that a pause of the server delays shows it, not only the one per connection of a closed loop (Gil Tene's
/// "coordinated omission"). After the end, requests that were due before are still sent; an unanswered one
/// counts with the time it waited.
///
/// It must cost less than the server, or it would measure itself: requests are prepared except for their
/// keys, replies are skipped, not parsed, and the clock is read once a receive.
///
/// A loop waits in the system's call, except in the last 60 µs before something is due, when it polls: a
/// sleeper wakes too late.
/// </summary>
internal sealed unsafe class LoadLoop : IDisposable
{
    private const int BufferSize = 256 * 1024;
    private const int ReadyCountMax = 256;
    private const long SpinNs = 60_000;
    private const int WaitsPerStall = 10;
    private static readonly double s_nsPerTick = 1e9 / Stopwatch.Frequency;
    private readonly LoadOptions _options;
    private readonly RequestPlan _plan;
    private readonly ILoadTransport _transport;
    private readonly List<LoadClient> _clients = [];
    private readonly Queue<int> _free = new();
    private readonly int[] _ready = new int[ReadyCountMax];
    private readonly long[] _replies;
    private readonly Pace? _pace;
    private readonly PreparedBatches? _batches;
    private readonly byte* _input;
    private readonly byte* _output;
    private long _endsAt;
    private long _left;
    private long _lastReplyAt;
    private long _silentSince;
    private long _silentTicks;
    private long _listenedAt;
    private int _openClients;

    /// <summary>Opens the connections.</summary>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public LoadLoop(LoadOptions options, RequestPlan plan, int thread)
    {
        (_options, _plan) = (options, plan);
        _replies = new long[plan.Programs.Length];
        Figures = new LoopFigures(_replies.Length);
        double? rate = options.Rate / options.ThreadCount ?? options.ClientRate * options.ClientCount;
        if (rate is not null) _pace = new Pace(rate.Value / options.Depth, options.Rate is not null);
        _input = (byte*)NativeMemory.AlignedAlloc(BufferSize, 4096);
        _output = (byte*)NativeMemory.Alloc((nuint)(plan.RequestSizeMax * options.Depth));
        _batches = PreparedBatches.Of(plan, options.Depth);
        bool isEpoll = OperatingSystem.IsLinux() && !options.IsPortable;
        _transport = isEpoll ? new EpollTransport() : new SocketTransport();
        try
        {
            for (int index = 0; index < options.ClientCount; index++) Open(thread, index);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The counts of the present or last run.</summary>
    public LoopFigures Figures { get; private set; }

    /// <summary>How many replies of all runs were errors.</summary>
    public long ErrorCount => _clients.Sum(client => client.Replies.ErrorCount);

    /// <summary>How many replies of all runs were null.</summary>
    public long MissingCount => _clients.Sum(client => client.Replies.MissingCount);

    /// <summary>The first error of all runs; null where there was none.</summary>
    public string? FirstError =>
        _clients.Select(client => client.Replies.FirstError).FirstOrDefault(error => error is not null);

    /// <summary>Begins a run. Threads whose schedules should not coincide give each its share of an
    /// interval.</summary>
    public void Start(double? seconds, long? requestCount, double share)
    {
        Figures = new LoopFigures(_replies.Length);
        long now = Stopwatch.GetTimestamp();
        Figures.StartedAt = Figures.EndedAt = _lastReplyAt = _listenedAt = now;
        _endsAt = seconds is null ? long.MaxValue : now + (long)(seconds.Value * Stopwatch.Frequency);
        _left = 0;
        _free.Clear();
        for (int index = 0; index < _clients.Count; index++)
        {
            LoadClient client = _clients[index];
            client.Left = _options.IsEachKeyOnce ? client.Requests.KeyCount : requestCount ?? long.MaxValue;
            client.FreeSince = now;
            _left = client.Left > long.MaxValue - _left ? long.MaxValue : _left + client.Left;
            if (client.Left == 0) continue;
            if (_pace is null) Begin(index, Stopwatch.GetTimestamp());
            else _free.Enqueue(index);
        }
        _pace?.Start(now, share);
    }

    /// <summary>Sends what is due and takes what has come; false when the run is over.</summary>
    /// <param name="mayWait">Whether the thread may sleep until then. Where not, it has something else to do:
    /// the turn sends and takes one batch at most.</param>
    /// <exception cref="LoadException">A connection broke, a reply was none, or none came for long.
    /// </exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Turn(bool mayWait)
    {
        long before = 0;
        if (_pace is not null)
        {
            before = Stopwatch.GetTimestamp();
            SendDue(_pace, before, mayWait ? int.MaxValue : 1);
            if (IsOver(_pace, before)) return false;
        }
        else if (_openClients == 0) return false;
        int count = mayWait ? _transport.Wait(_ready, TimeoutNs(before))
            : _transport.Wait(_ready.AsSpan(0, 1), 0);
        if (_pace is not null) Figures.IdleTicks += Stopwatch.GetTimestamp() - before;
        if (count == 0) CheckStall();
        for (int index = 0; index < count; index++) Serve(_ready[index]);
        return true;
    }

    /// <summary>Delays the schedule by so many ticks; no effect in a closed loop.</summary>
    public void Postpone(long ticks) => _pace?.Postpone(ticks);

    public void Dispose()
    {
        _transport.Dispose();
        foreach (LoadClient client in _clients) client.Dispose();
        NativeMemory.AlignedFree(_input);
        NativeMemory.Free(_output);
        _batches?.Dispose();
    }

    private void Open(int thread, int index)
    {
        Socket socket = ServerLink.Open(_options.Server, _options.Session);
        _transport.Add(socket);
        int client = thread * _options.ClientCount + index;
        ulong seed = _options.Seed + (_options.HasOneSeed ? 0 : (ulong)client);
        int clientCount = _options.ThreadCount * _options.ClientCount;
        _clients.Add(new LoadClient(new RequestStream(_plan, client, clientCount, seed)));
    }

    private void SendDue(Pace pace, long now, int countMax)
    {
        for (; countMax > 0 && pace.Due <= now && pace.Due < _endsAt && _left > 0
            && _free.TryDequeue(out int index); countMax--)
        {
            LoadClient client = _clients[index];
            if (client.FreeSince <= pace.Due) Figures.SendLag.Record(Nanoseconds(now - pace.Due));
            Begin(index, pace.IsOpen ? pace.Due : now);
            pace.Next(now);
            now = Stopwatch.GetTimestamp();
        }
    }

    private bool IsOver(Pace pace, long now)
    {
        if (_left > 0 && pace.Due < _endsAt && (pace.IsOpen || now < _endsAt)) return GivesUp(pace, now);
        return _openClients == 0 || GivesUp(pace, now);
    }

    // Requests that are unanswered at the end count with the time they have waited.
    private bool GivesUp(Pace pace, long now)
    {
        bool isPatient = _endsAt == long.MaxValue
            || now < _endsAt + (long)(_options.DrainSecondsMax * Stopwatch.Frequency);
        if (isPatient) return false;
        IsBroken = _openClients > 0;
        foreach (LoadClient client in _clients)
            if (client.OpenCount > 0) GiveUp(client.OpenCount, now - client.CountsFrom);
        for (; pace.IsOpen && pace.Due < _endsAt; pace.Next(now)) GiveUp(_options.Depth, now - pace.Due);
        return true;
    }

    private void GiveUp(int count, long ticks)
    {
        Figures.UnansweredCount += count;
        Figures.Latencies[0].Record(Nanoseconds(ticks), count);
    }

    private long StallTicks => (long)(_options.StallSecondsMax * Stopwatch.Frequency);

    private long TimeoutNs(long now)
    {
        long stallNs = Nanoseconds(StallTicks / WaitsPerStall);
        if (_pace is null) return stallNs;
        // Where no connection is free, nothing can be sent before a reply has come.
        bool isSending = _left > 0 && _free.Count > 0 && _pace.Due < _endsAt;
        long until = isSending ? _pace.Due : long.Min(_endsAt, now + Stopwatch.Frequency);
        if (!isSending && now >= _endsAt) until = now + Stopwatch.Frequency / 100;
        return long.Clamp(Nanoseconds(until - now) - SpinNs, 0, stallNs);
    }

    // A silence counts only while this loop runs: a standstill of the machine or this process counts as one
    // short wait.
    private void CheckStall()
    {
        long now = Stopwatch.GetTimestamp();
        if (_silentSince != _lastReplyAt || _openClients == 0)
        {
            (_silentSince, _silentTicks) = (_lastReplyAt, 0);
            _listenedAt = long.Max(_lastReplyAt, _listenedAt);
        }
        _silentTicks += long.Min(now - _listenedAt, StallTicks / WaitsPerStall);
        _listenedAt = now;
        if (_silentTicks >= StallTicks)
            throw new LoadException($"no reply for {_options.StallSecondsMax} s");
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Serve(int index)
    {
        LoadClient client = _clients[index];
        if (client.UnsentSize > 0) Flush(index, client);
        // Input is reported once: a full buffer may have left some.
        while (Receive(index, client) == BufferSize) ;
    }

    // Gives how many bytes came.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private int Receive(int index, LoadClient client)
    {
        int size = _transport.Receive(index, _input, BufferSize);
        if (size == 0) return 0;
        LoopFigures figures = Figures;
        figures.ReceivedBytes += size;
        int count = client.Replies.Consume(_input, size);
        if (count == 0) return size;
        long now = _lastReplyAt = Stopwatch.GetTimestamp();
        if (count > client.OpenCount) throw new LoadException("more replies came than requests were sent");
        Record(client, count, Nanoseconds(now - client.CountsFrom));
        figures.ReplyCount += count;
        if ((client.OpenCount -= count) > 0) return size;
        _openClients--;
        figures.EndedAt = now;
        client.FreeSince = now;
        if (client.Left == 0) return size;
        if (_pace is not null) _free.Enqueue(index);
        else if (now < _endsAt) Begin(index, now);
        return size;
    }

    private void Record(LoadClient client, int count, long ns)
    {
        if (_replies.Length == 1)
        {
            Figures.Latencies[0].Record(ns, count);
            return;
        }
        // The replies are to the next commands of the round, in its order.
        CommandCycle cycle = _plan.Cycle;
        int place = client.ReplyPlace;
        for (; count > 0; count--)
        {
            _replies[cycle[place]]++;
            if (++place == cycle.Size) place = 0;
        }
        client.ReplyPlace = place;
        for (int command = 0; command < _replies.Length; command++)
        {
            if (_replies[command] > 0) Figures.Latencies[command].Record(ns, _replies[command]);
            _replies[command] = 0;
        }
    }

    // SAFETY: _output holds Depth requests of the largest size.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Begin(int index, long countsFrom)
    {
        LoadClient client = _clients[index];
        int count = (int)long.Min(_options.Depth, client.Left);
        client.Left -= count;
        _left -= count;
        client.OpenCount = count;
        client.CountsFrom = countsFrom;
        _openClients++;
        byte* data = _output;
        int size;
        if (_batches is not null && count == _options.Depth)
        {
            PreparedBatch batch = client.Requests.Fill(_batches);
            data = batch.Data;
            size = batch.Size;
        }
        else size = (int)(client.Requests.Write(data, count) - data);
        Figures.SentBytes += size;
        int sent = _transport.Send(index, data, size);
        if (sent == size) return;
        client.Keep(data + sent, size - sent);
        _transport.WatchOutput(index, true);
    }

    private void Flush(int index, LoadClient client)
    {
        client.Sent(_transport.Send(index, client.Unsent, client.UnsentSize));
        if (client.UnsentSize == 0) _transport.WatchOutput(index, false);
    }

    private static long Nanoseconds(long ticks) => (long)(ticks * s_nsPerTick);

    /// <summary>Whether replies are still under way that were given up: the connections are of no further
    /// use.</summary>
    public bool IsBroken { get; private set; }
}

// How long another client waits.
//
// Questions are due on a schedule and are sent then, whether or not earlier ones were answered, over one
// connection; a wait counts from when its question was due. So no stall is hidden: one of 4 ms is 40 waits
// of 10,000 a second. A client that asks only after its last answer sees the stall once. Its waits are a
// subset of the measured ones (InTurn): while one of its questions is open, no other counts.
//
// Between questions and while it waits for replies the probe reads the socket and the clock in turn instead
// of sleeping, because a virtual processor that halts is woken late by its host, and each such delay would
// look like the server's. Still the thread rests for a tenth of its time (ProbeRest), in stretches that the
// schedule leaves out. Two readings of the clock more than GapNsMin apart show that the probe itself did not
// run. Such gaps are counted, so that a report can say how far its waits are in doubt.
//
// Single-threaded: one thread takes the steps; another may begin stretches.
using System;
using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Load.Replies;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Waits;

/// <summary>A client that asks a server on a schedule and measures how long it waits.</summary>
public sealed unsafe class WaitProbe : IProbe, IDisposable
{
    /// <summary>Two readings of the clock further apart than this are a gap.</summary>
    internal const long GapNsMin = 100_000;

    private const long SilenceNsMax = 30_000_000_000;
    private const int OpenCountMax = 4096;
    private const int BufferSize = 64 * 1024;
    private static readonly double s_nsPerTick = 1e9 / Stopwatch.Frequency;
    private readonly RequestPlan _plan;
    private readonly RequestStream _requests;
    private readonly ILoadTransport _transport;
    private readonly WaitQuestion[] _open = new WaitQuestion[OpenCountMax];
    private readonly double _intervalNs;
    private readonly byte* _output;
    private readonly byte* _input;
    private ReplySkipper _replies;
    private WaitFigures _figures = new();
    private WaitFigures _wanted;
    private double _dueNs;
    private long _sentCount;
    private long _answeredCount;
    private long _lookedNs;
    private long _stretchNs;
    private long _heardNs;
    private long _turnNs;

    /// <summary>Connects.</summary>
    /// <param name="options">The server, the question (one command) and its rate.</param>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public WaitProbe(LoadOptions options)
    {
        if (options.Rate is not { } rate) throw new LoadException("a probe needs a rate");
        _wanted = _figures;
        _intervalNs = 1e9 / rate;
        _plan = new RequestPlan(options);
        _requests = new RequestStream(_plan, 0, 1, options.Seed);
        bool isEpoll = OperatingSystem.IsLinux() && !options.IsPortable;
        _transport = isEpoll ? new EpollTransport() : new SocketTransport();
        _output = (byte*)NativeMemory.Alloc((nuint)_plan.RequestSizeMax);
        _input = (byte*)NativeMemory.Alloc(BufferSize);
        try
        {
            Socket socket = ServerLink.Open(options.Server, options.Session);
            _transport.Add(socket);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public bool IsAnswered => _answeredCount == _sentCount;

    /// <inheritdoc/>
    public string? FirstError => _replies.FirstError;

    /// <summary>How many replies were null.</summary>
    public long MissingCount => _replies.MissingCount;

    /// <summary>Questions due from now on count separately. From any thread.</summary>
    public WaitFigures BeginStretch()
    {
        var figures = new WaitFigures();
        Volatile.Write(ref _wanted, figures);
        return figures;
    }

    /// <inheritdoc/>
    public void Start()
    {
        _lookedNs = _heardNs = _stretchNs = Now();
        _dueNs = _lookedNs;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Step(bool isAsking)
    {
        long now = Look();
        while (isAsking && _dueNs <= now && _sentCount - _answeredCount < OpenCountMax)
        {
            Send((long)_dueNs);
            _dueNs += _intervalNs;
            now = Look();
        }
        if (IsAnswered)
        {
            _heardNs = now;
            return;
        }
        int size = _transport.Receive(0, _input, BufferSize);
        int count = size > 0 ? _replies.Consume(_input, size) : 0;
        if (count > 0) Record(count);
        else if (now - _heardNs > SilenceNsMax) throw new LoadException("a probe had no reply for long");
    }

    /// <inheritdoc/>
    public void Skip()
    {
        // The part of a rest beyond its limit is time in which the probe could not run.
        long restNs = long.Min(Now() - _lookedNs, ProbeRest.RestNsMax);
        _lookedNs += restNs;
        if (IsAnswered) _dueNs += restNs;
    }

    public void Dispose()
    {
        _transport.Dispose();
        _plan.Dispose();
        NativeMemory.Free(_output);
        NativeMemory.Free(_input);
    }

    // SAFETY: _output holds a request of the largest size. So few small requests are under way that the
    // socket has room for each.
    private void Send(long dueNs)
    {
        _open[_sentCount++ % OpenCountMax] = new WaitQuestion(_figures, dueNs);
        int size = (int)(_requests.Write(_output, 1) - _output);
        if (_transport.Send(0, _output, size) != size)
            throw new LoadException("the server takes no more questions of a probe");
    }

    private void Record(int count)
    {
        long now = _heardNs = Look();
        if (count > _sentCount - _answeredCount)
            throw new LoadException("more replies came than questions were sent");
        for (; count > 0; count--)
        {
            WaitQuestion question = _open[_answeredCount++ % OpenCountMax];
            long waitNs = now - question.DueNs;
            question.Figures.Waits.Record(waitNs);
            if (question.DueNs < _turnNs) continue;
            question.Figures.InTurn.Record(waitNs);
            _turnNs = now;
        }
    }

    // Reads the clock, and counts a gap where too much time has passed since the last reading.
    private long Look()
    {
        long now = Now();
        WaitFigures figures = Volatile.Read(ref _wanted);
        if (figures != _figures) (_figures, _stretchNs) = (figures, now);
        long passedNs = now - _lookedNs;
        if (passedNs >= GapNsMin) figures.Gaps.Record(passedNs);
        _lookedNs = now;
        figures.Seconds = (now - _stretchNs) / 1e9;
        return now;
    }

    private static long Now() => (long)(Stopwatch.GetTimestamp() * s_nsPerTick);
}

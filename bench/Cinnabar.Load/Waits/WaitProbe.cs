// How long another client waits, measured so that a stall is seen and the machine's own are told apart.
//
// Questions are due on a schedule and are sent then, whether or not earlier ones were answered, down one
// connection; a wait counts from when its question was due. So nothing hides a stall.
//
// Between questions and while it waits for replies the probe asks the socket and the clock in turn instead of
// sleeping, because a virtual processor that halts is woken late by its host, and each such delay would look
// like the server's. The thread rests for a tenth of its time all the same (ProbeRest), in stretches that the
// schedule leaves out. Two readings of the clock that lie further apart than GapNsMin show that the probe
// itself did not run: that time is counted (Gaps), and each wait is counted twice, whole (Waits) and less
// what of it the probe stood still (Heard). What the server did in just that time is hidden from Heard, never
// from Waits.
//
// Who asks on a schedule sees each stall as often as questions were due in it: one of 4 ms is 40 waits of
// 10,000 a second. A client that asks only when it has its last answer sees it once. Its waits are among
// those that are measured (InTurn): of the questions that were due while an earlier one of them had no answer
// it would have asked none.
//
// What else may be the machine's: the server's processor halted and woken late, taken by the host, or busy
// with another process. The kernel does not count any of it as processor time of the server (with paravirtual
// time accounting not even what the host took), so the server's process clock is read before each question
// and after each slow reply: a wait of which the server ran a tenth is at most to a tenth the server's
// (Served).
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
using Cinnabar.Load.Servers;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Waits;

/// <summary>A client that asks a server on a schedule and tells its waits from the machine's.</summary>
public sealed unsafe class WaitProbe : IProbe, IDisposable
{
    /// <summary>Who has not looked at the clock for so long has stood still.</summary>
    internal const long GapNsMin = 100_000;

    private const long SlowNsMin = 200_000;
    private const long SilenceNsMax = 30_000_000_000;
    private const int OpenCountMax = 4096;
    private const int BufferSize = 64 * 1024;
    private static readonly double s_nsPerTick = 1e9 / Stopwatch.Frequency;
    private readonly ProcessUsage? _server;
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
    private long _gapNs;
    private long _gapStartNs;
    private long _gapEndNs;
    private long _cpuNs;
    private long _turnNs;

    /// <summary>Connects.</summary>
    /// <param name="options">The server, the question (one command) and its rate.</param>
    /// <param name="server">The server's process; null where it is not known.</param>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public WaitProbe(LoadOptions options, ProcessUsage? server)
    {
        if (options.Rate is not { } rate) throw new LoadException("a probe needs a rate");
        _server = server;
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

    /// <summary>What is due from now on counts apart. From any thread.</summary>
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
        _cpuNs = ReadCpu();
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Step(bool isAsking)
    {
        long now = Look();
        while (isAsking && _dueNs <= now && _sentCount - _answeredCount < OpenCountMax)
        {
            Send((long)_dueNs, now);
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
        // What a rest took longer than it may is a time in which the probe stood still.
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
    private void Send(long dueNs, long now)
    {
        // One that is late is told the processor time before it was due: the last that was read.
        if (now - dueNs < GapNsMin) _cpuNs = ReadCpu();
        long gapNs = _gapNs - long.Max(_gapEndNs - long.Max(dueNs, _gapStartNs), 0);
        _open[_sentCount++ % OpenCountMax] = new WaitQuestion(_figures, dueNs, gapNs, _cpuNs);
        int size = (int)(_requests.Write(_output, 1) - _output);
        if (_transport.Send(0, _output, size) != size)
            throw new LoadException("the server takes no more questions of a probe");
    }

    private void Record(int count)
    {
        long now = _heardNs = Look();
        if (count > _sentCount - _answeredCount)
            throw new LoadException("more replies came than questions were sent");
        long cpuNs = -1;
        for (; count > 0; count--)
        {
            WaitQuestion question = _open[_answeredCount++ % OpenCountMax];
            long waitNs = now - question.DueNs;
            long heardNs = waitNs - (_gapNs - question.GapNs);
            question.Figures.Waits.Record(waitNs);
            question.Figures.Heard.Record(heardNs);
            if (question.DueNs >= _turnNs)
            {
                question.Figures.InTurn.Record(waitNs);
                question.Figures.InTurnHeard.Record(heardNs);
                _turnNs = now;
            }
            if (_server is null) continue;
            if (waitNs >= SlowNsMin && cpuNs < 0) cpuNs = ReadCpu();
            long servedNs = waitNs >= SlowNsMin ? cpuNs - question.CpuNs : waitNs;
            question.Figures.Served.Record(long.Min(servedNs, waitNs));
        }
    }

    // Reads the clock, and notes where too much has passed since the last time.
    private long Look()
    {
        long now = Now();
        WaitFigures figures = Volatile.Read(ref _wanted);
        if (figures != _figures) (_figures, _stretchNs) = (figures, now);
        long passedNs = now - _lookedNs;
        if (passedNs >= GapNsMin)
        {
            (_gapStartNs, _gapEndNs) = (_lookedNs, now);
            _gapNs += passedNs;
            figures.Gaps.Record(passedNs);
        }
        _lookedNs = now;
        figures.Seconds = (now - _stretchNs) / 1e9;
        return now;
    }

    private long ReadCpu() => _server?.OwnCpuNs() ?? 0;

    private static long Now() => (long)(Stopwatch.GetTimestamp() * s_nsPerTick);
}

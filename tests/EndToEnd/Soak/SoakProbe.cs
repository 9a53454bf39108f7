using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Load;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>A client that asks for a key that is not there, waits for the answer, rests for a millisecond,
/// and so on, on a thread of its own until disposed.</summary>
internal sealed class SoakProbe : IDisposable
{
    private const int RestMs = 1;
    private const long NsOfSecond = 1_000_000_000;
    private readonly Lock _lock = new();
    private readonly Task _task;
    private LatencyHistogram _waits = new();
    private volatile bool _isOver;

    /// <summary>Starts to ask.</summary>
    public SoakProbe(int port) => _task = Task.Factory.StartNew(() => Ask(port), CancellationToken.None,
        TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Gives the waits since the last call.</summary>
    public LatencyHistogram Take()
    {
        if (_task.IsFaulted)
            _task.GetAwaiter().GetResult();
        lock (_lock)
            return Interlocked.Exchange(ref _waits, new LatencyHistogram());
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isOver = true;
        _task.GetAwaiter().GetResult();
    }

    private void Ask(int port)
    {
        using var client = new RespClient(port);
        while (!_isOver)
        {
            long start = Stopwatch.GetTimestamp();
            string answer = client.Call("GET", "absent").ToString();
            long ticks = Stopwatch.GetTimestamp() - start;
            Assert.Equal("_", answer);
            lock (_lock)
                _waits.Record((long)(ticks * ((double)NsOfSecond / Stopwatch.Frequency)));
            Thread.Sleep(RestMs);
        }
    }
}

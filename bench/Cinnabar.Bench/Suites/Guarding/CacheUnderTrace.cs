using System;
using System.Globalization;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Traces;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>A server that is played a trace to, and kept at a number of keys by its limit.</summary>
internal sealed class CacheUnderTrace : IDisposable
{
    private const int ValueSize = 100;
    private const double ToleratedShare = 0.005;

    private readonly MeasuredServer _server;
    private readonly TracePlayer _player;
    private readonly ServerLink _link;
    private long _limit;
    private long _bytesPerKey;
    private long _requestCount;
    private long _hitCount;
    private long _keyCountSum;
    private int _adjustmentCount;

    public CacheUnderTrace(MeasuredServer server)
    {
        _server = server;
        _player = new TracePlayer(server.Address, ValueSize);
        _link = server.Link();
    }

    public string Name => _server.Spec.Name;

    /// <summary>The share of the counted requests whose keys were there.</summary>
    public double HitPercent => 100.0 * _hitCount / _requestCount;

    /// <summary>How many keys it held, on average.</summary>
    public double KeyCountMean => (double)_keyCountSum / _adjustmentCount;

    /// <summary>Sets keys under a policy, and makes what is used then the limit.</summary>
    public void Fill(string policy, int count)
    {
        _link.Ask("CONFIG", "SET", "maxmemory-samples", "10");
        _link.Ask("CONFIG", "SET", "maxmemory-policy", policy);
        long empty = Number(_link.Info("used_memory"));
        _player.Fill(count);
        _limit = Number(_link.Info("used_memory"));
        _bytesPerKey = long.Max(1, (_limit - empty) / count);
        SetLimit();
    }

    /// <summary>Plays a part of the trace.</summary>
    public void Play(ReadOnlySpan<long> keys, bool isCounted)
    {
        long hitCount = _player.Play(keys);
        if (!isCounted) return;
        _requestCount += keys.Length;
        _hitCount += hitCount;
    }

    /// <summary>Changes the limit by what missing or surplus keys take.</summary>
    public void Adjust(int count)
    {
        long now = Number(_link.Ask("DBSIZE"));
        _keyCountSum += now;
        _adjustmentCount++;
        _limit += (count - now) * _bytesPerKey;
        SetLimit();
    }

    /// <summary>Whether the number of keys is as wanted: else the comparison is void.</summary>
    /// <exception cref="LoadException">It is not.</exception>
    public void Check(int count)
    {
        if (Math.Abs(KeyCountMean - count) > count * ToleratedShare)
            throw new LoadException($"{Name} held {KeyCountMean:N0} keys where {count} should fit");
    }

    public void Dispose()
    {
        _link.Dispose();
        _player.Dispose();
        _server.Dispose();
    }

    private void SetLimit() =>
        _link.Ask("CONFIG", "SET", "maxmemory", _limit.ToString(CultureInfo.InvariantCulture));

    private static long Number(string? text) => long.Parse(text!, CultureInfo.InvariantCulture);
}

using System;
using System.Runtime.CompilerServices;
using Cinnabar.Platform;

namespace Cinnabar.Load.Requests;

/// <summary>The numbers of the keys that one client visits with one command. Not to be copied in
/// use.</summary>
internal struct KeySource
{
    private readonly KeyPattern _pattern;
    private readonly long _first;
    private readonly long _end;
    private readonly double _median;
    private readonly double _deviation;
    private readonly ZipfDistribution? _zipf;
    private long _next;

    /// <summary>The keys of one of <paramref name="clientCount"/> clients.</summary>
    public KeySource(KeySpace keys, KeyPattern pattern, int client, int clientCount)
    {
        _pattern = pattern;
        bool isPart = pattern == KeyPattern.Parallel;
        _first = keys.Minimum + (isPart ? Share(keys.Count, client, clientCount) : 0);
        _end = isPart ? keys.Minimum + Share(keys.Count, client + 1, clientCount) : keys.Maximum + 1;
        // More clients than keys: a client without a key uses the first.
        if (_end == _first) (_first, _end) = (keys.Minimum, keys.Minimum + 1);
        _next = _first;
        _median = keys.Median ?? (keys.Minimum + keys.Maximum) / 2.0;
        _deviation = keys.StandardDeviation ?? Math.Max(keys.Count / 6.0, 0.5);
        _zipf = pattern == KeyPattern.Zipfian ? new ZipfDistribution(keys.Count, keys.ZipfExponent) : null;
    }

    /// <summary>How many of <paramref name="count"/> keys the clients before this one have.</summary>
    public static long Share(long count, int client, int clientCount) =>
        (long)((Int128)count * client / clientCount);

    /// <summary>The next key's number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long Next(ref RandomSource random) => _pattern == KeyPattern.Random
        ? _first + (long)random.NextBelow((ulong)(_end - _first)) : NextOther(ref random);

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private long NextOther(ref RandomSource random)
    {
        switch (_pattern)
        {
            case KeyPattern.Gaussian: return NextGaussian(ref random);
            case KeyPattern.Zipfian: return _first + _zipf!.Next(ref random) - 1;
            default:
                long key = _next;
                if (++_next == _end) _next = _first;
                return key;
        }
    }

    // Box and Muller's method; what falls outside is drawn again.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private readonly long NextGaussian(ref RandomSource random)
    {
        while (true)
        {
            double radius = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble()));
            double deviation = radius * Math.Cos(2 * Math.PI * random.NextDouble()) * _deviation;
            double key = Math.Floor(_median + deviation + 0.5);
            if (key >= _first && key < _end) return (long)key;
        }
    }
}

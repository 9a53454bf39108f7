namespace Cinnabar.Engine.Statistics;

/// <summary>
/// How fast a counter grows: the mean of its last sixteen samples, as Redis reports it. One writer.
/// </summary>
internal sealed class RateSamples
{
    private const int SampleCount = 16;

    private readonly long[] _perSecond = new long[SampleCount];
    private long _lastValue;
    private long _lastMs;
    private int _next;

    /// <summary>Growth a second.</summary>
    public long PerSecond
    {
        get
        {
            long sum = 0;
            foreach (long sample in _perSecond)
                sum += sample;
            return sum / SampleCount;
        }
    }

    /// <summary>Takes a sample; the first only says where the counter starts.</summary>
    public void Take(long nowMs, long value)
    {
        if (_lastMs > 0 && nowMs > _lastMs)
        {
            _perSecond[_next] = (value - _lastValue) * 1000 / (nowMs - _lastMs);
            _next = (_next + 1) % SampleCount;
        }

        _lastMs = nowMs;
        _lastValue = value;
    }

    /// <summary>Forgets the samples; the counter goes on from where it is.</summary>
    public void Clear() => Array.Clear(_perSecond);
}

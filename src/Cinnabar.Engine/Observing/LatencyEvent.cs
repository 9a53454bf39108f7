namespace Cinnabar.Engine.Observing;

/// <summary>
/// The recorded spikes of one event: one a second at most, the last 160. Guarded by the monitor.
/// </summary>
internal sealed class LatencyEvent(string name)
{
    private const int SampleCountMax = 160;

    private readonly List<LatencySample> _samples = [];

    /// <summary>The event's name.</summary>
    public string Name { get; } = name;

    /// <summary>The longest spike ever, in milliseconds.</summary>
    public long LongestMs { get; private set; }

    /// <summary>A copy of the spikes, oldest first.</summary>
    public LatencySample[] Samples => [.. _samples];

    /// <summary>Records a spike.</summary>
    public void Add(LatencySample sample)
    {
        if (sample.LatencyMs > LongestMs)
            LongestMs = sample.LatencyMs;
        if (_samples.Count > 0 && _samples[^1].UnixSeconds == sample.UnixSeconds)
        {
            if (sample.LatencyMs > _samples[^1].LatencyMs)
                _samples[^1] = sample;
            return;
        }

        if (_samples.Count == SampleCountMax)
            _samples.RemoveAt(0);
        _samples.Add(sample);
    }
}

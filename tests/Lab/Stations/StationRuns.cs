using System;
using System.Collections.Concurrent;
using Xunit;

namespace Cinnabar.Tests.Lab.Stations;

/// <summary>The stations' processes, each started when the first test asks for it.</summary>
public sealed class StationRuns : IDisposable
{
    private readonly ConcurrentDictionary<string, Lazy<StationRun>> _runs = new();

    /// <summary>The port of a station.</summary>
    public int PortOf(string name) => RunOf(name).Port;

    /// <summary>Fails where a station has ended, or answers a new client no more.</summary>
    public void AssertServes(string name)
    {
        Assert.False(RunOf(name).HasEnded, RunOf(name).Output);
        using RawClient client = new(PortOf(name));
        client.Send("PING\r\n");
        Assert.Equal("+PONG\r\n", client.ReadThrough("\r\n"));
        Assert.DoesNotContain("ended by", RunOf(name).Output, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Lazy<StationRun> run in _runs.Values) run.Value.Dispose();
    }

    private StationRun RunOf(string name) =>
        _runs.GetOrAdd(name, static name => new Lazy<StationRun>(Station.Of(name).Start)).Value;
}

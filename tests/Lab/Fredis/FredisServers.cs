using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>The F# server on each of its I/O layers, and redis-server where it is installed.</summary>
public sealed class FredisServers : IDisposable
{
    private readonly Dictionary<string, StationRun> _stations =
        Names.ToDictionary(static name => name, static name => new StationRun("fredis", "--io", name));

    private readonly OracleServer? _oracle = OracleServer.IsInstalled ? OracleServer.Start() : null;

    /// <summary>The I/O layers.</summary>
    public static IEnumerable<string> Names => ["async", "hybrid", "saea"];

    /// <summary>The same, as a theory's rows.</summary>
    public static TheoryData<string> Rows => [.. Names];

    /// <summary>The port of the server on an I/O layer.</summary>
    public int PortOf(string io) => _stations[io].Port;

    /// <summary>Fails where a server has ended, or answers a new client no more.</summary>
    public void AssertServes(string io)
    {
        Assert.False(_stations[io].HasEnded, _stations[io].Output);
        using RawClient client = new(PortOf(io));
        client.Send("PING\r\n");
        Assert.Equal("+PONG\r\n", client.ReadThrough("\r\n"));
    }

    /// <summary>The port of redis-server; without one the test is skipped.</summary>
    public int RequireOracle()
    {
        Assert.SkipWhen(_oracle is null, "redis-server is not installed");
        return _oracle.Port;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (StationRun station in _stations.Values) station.Dispose();
        _oracle?.Dispose();
    }
}

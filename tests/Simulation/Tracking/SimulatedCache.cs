using System;
using System.Runtime.InteropServices;
using Cinnabar.Tests.Simulation.Simulating;

namespace Cinnabar.Tests.Simulation.Tracking;

/// <summary>A caching client of a simulated server.</summary>
internal sealed class SimulatedCache
{
    private int _parsed;

    /// <summary>Begins to track.</summary>
    public SimulatedCache(SimulatedConnection connection, int seed, int keyCount, bool isDeaf)
    {
        Connection = connection;
        Client = new CachingClient(connection.Inbound.AddRange, seed, keyCount) { IsDeaf = isDeaf };
    }

    /// <summary>Its connection.</summary>
    public SimulatedConnection Connection { get; }

    /// <summary>The client.</summary>
    public CachingClient Client { get; }

    /// <summary>Reads what has come.</summary>
    public void Receive()
    {
        Span<byte> bytes = CollectionsMarshal.AsSpan(Connection.Outbound);
        while (_parsed < bytes.Length && RespParser.TryParse(bytes, ref _parsed) is { } reply)
            Client.Accept(reply);
        if (_parsed != bytes.Length)
            return;
        Connection.Outbound.Clear();
        _parsed = 0;
    }
}

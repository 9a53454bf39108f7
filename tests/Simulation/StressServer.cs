using System;
using System.Collections.Concurrent;
using Cinnabar.Commands;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation;

/// <summary>A server with real threads and sockets, more loops than cores, and checked memory.</summary>
internal sealed class StressServer : IDisposable
{
    private const int LoopCount = 6;

    private readonly SilentLog _log = new();
    private readonly ReservedPort _port = new();
    private readonly CinnabarServer _server;

    /// <summary>Starts it.</summary>
    /// <param name="isSlow">Whether every command that can goes to the slow lane.</param>
    /// <param name="scriptRerunInterval">Every so manyth command of scripts makes these run again.</param>
    public StressServer(bool isSlow = false, int scriptRerunInterval = 0)
    {
        var configuration = new ConfigurationRegistry();
        // On a busy machine a thread of the lane may wait for a processor for longer than any threshold.
        configuration.Override("busy-reply-threshold", "0");
        configuration.Override("loop-placement", "all");
        configuration.Override("save", "");
        configuration.Settings.Port = Port;
        configuration.Settings.Bind = ["127.0.0.1"];
        _server = CinnabarServer.Start(new ServerOptions
        {
            Configuration = configuration,
            Log = _log,
            LoopCount = LoopCount,
            IsMemoryChecked = true,
            ScriptRerunInterval = scriptRerunInterval,
            LoopCostNsMax = isSlow ? -1 : Execution.LoopCostNsDefault,
        });
    }

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => _port.Number;

    /// <summary>What went wrong inside.</summary>
    public ConcurrentQueue<string> Faults => _log.Faults;

    /// <summary>A new connection.</summary>
    public RespClient Connect() => new(Port);

    /// <inheritdoc/>
    public void Dispose()
    {
        _server.Dispose();
        _port.Dispose();
    }
}

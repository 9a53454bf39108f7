using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>Checks at every step that no client waits for a key that is there.</summary>
internal sealed class WaiterCheck
{
    private readonly KeyspaceAccess _view;
    private readonly Clock _clock;

    /// <summary>Makes the check of an engine.</summary>
    public WaiterCheck(ServerEngine engine)
    {
        _view = new KeyspaceAccess(engine.Keyspace, new KeyspaceStatistics());
        _clock = engine.Clock;
    }

    /// <summary>How often a client was seen to wait.</summary>
    public long BlockedCount { get; private set; }

    /// <summary>Looks at a session.</summary>
    public void Look(Session session)
    {
        if (session.Suspended is not { State: ExecutionState.Blocked, Waiter: { } waiter })
            return;
        _view.Begin(0, _clock.UnixMicroseconds / 1000);
        foreach (KeyPlace place in waiter.Places)
        {
            if (KeyWaits.TypeOf(_view, place.Queue) == waiter.Keys.Type)
                throw new InvalidDataException($"{session.Endpoint.RemoteAddress} waits needlessly.");
        }

        BlockedCount += waiter.Places.Count > 0 ? 1 : 0;
    }
}

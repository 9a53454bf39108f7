using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Tls;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The handshakes of connections of the simulated kernel, on a thread outside the loops.</summary>
/// <param name="kernel">The kernel.</param>
/// <param name="chance">Decides which of them go on.</param>
[SupportedOSPlatform("linux")]
internal sealed class SimulatedHandshakes(SimulatedKernel kernel, SimulatedChance chance) : IHandshakes<int>
{
    private readonly SimulatedKernel _kernel = kernel;
    private readonly SimulatedChance _chance = chance;
    private readonly List<Handshake> _all = [];
    private readonly TlsPipe _pipe = new();
    private bool _hasEnded;

    public void Begin(
        int descriptor, SessionEndpoint endpoint, Action<int, SessionEndpoint, TlsConnection> finished)
    {
        if (_hasEnded)
        {
            _kernel.Close(descriptor);
            return;
        }

        var wire = new UringWire(new SimulatedWire(_kernel.Sockets, descriptor));
        _all.Add(new Handshake(
            descriptor, endpoint, finished, new TlsConnection(new SimulatedTls(), wire, _pipe)));
    }

    /// <summary>Goes on with some.</summary>
    public void Step()
    {
        foreach (Handshake one in _all.ToArray())
        {
            if (_chance.IsOnceIn(2))
                continue;
            TlsStep step = one.Connection.Handshake();
            if (step is TlsStep.NeedsInput or TlsStep.NeedsOutput)
                continue;
            _all.Remove(one);
            if (step == TlsStep.Done)
                one.Finished(one.Descriptor, one.Endpoint, one.Connection);
            else
                Drop(one);
        }
    }

    /// <summary>Ends all; no more begin.</summary>
    public void End()
    {
        _hasEnded = true;
        foreach (Handshake one in _all)
            Drop(one);
        _all.Clear();
    }

    public void Dispose() => _pipe.Dispose();

    private void Drop(Handshake one)
    {
        one.Connection.Abandon();
        _kernel.Close(one.Descriptor);
    }

    private sealed record Handshake(int Descriptor, SessionEndpoint Endpoint,
        Action<int, SessionEndpoint, TlsConnection> Finished, TlsConnection Connection);
}

using System;
using System.Collections.Generic;
using Cinnabar.Tests.Support.Tls;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>The servers of a class of tests, one for each transport: each test finds its server
/// empty.</summary>
public sealed class TransportServers : IDisposable
{
    private readonly TestCertificates _certificates = new();
    private readonly Dictionary<string, TransportServer> _servers = [];

    /// <summary>The server of a transport.</summary>
    internal TransportServer Of(string transport)
    {
        if (!_servers.TryGetValue(transport, out TransportServer? server))
            return _servers[transport] = new TransportServer(transport, _certificates);
        server.Clear();
        return server;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        List<Exception> faults = [];
        foreach (TransportServer server in _servers.Values)
        {
            try
            {
                server.Dispose();
            }
            catch (Exception fault)
            {
                faults.Add(fault);
            }
        }

        _certificates.Dispose();
        if (faults.Count > 0)
            throw new AggregateException(faults);
    }
}

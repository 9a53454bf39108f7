using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Tests.EndToEnd.Embedding;

/// <summary>
/// A server in this process, for what only an embedded server has: another one beside it, and the framework's
/// TLS on Linux. The program there has OpenSSL; the framework's is what servers on Windows and macOS have,
/// and only an option that is internal chooses it here.
/// </summary>
internal sealed class EmbeddedServer : IRunningServer
{
    private readonly CinnabarServer _server;

    /// <summary>Starts it.</summary>
    /// <param name="transport">Its transport.</param>
    /// <param name="tls">What does its TLS; null: what does it on this system.</param>
    /// <param name="log">Gets the lines of its log.</param>
    /// <param name="directives">Further directives.</param>
    public EmbeddedServer(string transport, ITlsLibrary? tls, Action<string>? log,
        IEnumerable<(string Directive, string Value)> directives) =>
        _server = CinnabarServer.Start(new CinnabarServerOptions
        {
            Port = 0,
            LoopCount = 2,
            IsMemoryChecked = true,
            Directives = [new("transport", transport), .. directives.Select(
                static pair => new KeyValuePair<string, string>(pair.Directive, pair.Value))],
            TlsLibrary = tls,
            Log = log,
        });

    /// <inheritdoc/>
    public int Port => _server.Port;

    /// <inheritdoc/>
    public int ProcessId => Environment.ProcessId;

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();
}

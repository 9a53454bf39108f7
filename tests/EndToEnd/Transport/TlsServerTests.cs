using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.EndToEnd.Embedding;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Cinnabar.Transport.Tls;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>What tests of servers with TLS share: certificates, a port, a server, which is the program but
/// for the framework's TLS (<see cref="EmbeddedServer"/>).</summary>
public abstract class TlsServerTests : IDisposable
{
    private const int TimeoutMs = 300_000;

    private readonly ReservedPort _port = new();
    private readonly List<string> _embeddedLog = [];
    private ProgramServer? _program;

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports =>
        OperatingSystem.IsLinux() ? ["epoll", "io_uring", "portable", "framework"] : ["portable"];

    /// <summary>The authority of server and clients.</summary>
    protected TestCertificates Certificates { get; } = new();

    /// <summary>The server's port with TLS.</summary>
    protected int PortNumber => _port.Number;

    /// <inheritdoc/>
    public void Dispose()
    {
        _port.Dispose();
        Certificates.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected static bool Answers(TransportPeer peer)
    {
        peer.Stream.Write("PING\r\n"u8);
        var reply = new byte["+PONG\r\n"u8.Length];
        peer.Stream.ReadExactly(reply);
        return "+PONG\r\n"u8.SequenceEqual(reply);
    }

    /// <summary>The first message of a client, as it comes over the wire.</summary>
    protected static byte[] RecordHello()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        client.Connect((System.Net.IPEndPoint)listener.LocalEndpoint);
        using TcpClient server = listener.AcceptTcpClient();
        using var tls = new SslStream(client.GetStream());
        _ = tls.AuthenticateAsClientAsync("localhost");
        var hello = new byte[4096];
        int length = server.GetStream().Read(hello);
        return hello[..length];
    }

    protected bool IsServed(X509Certificate2? certificate, SslProtocols version = SslProtocols.None)
    {
        try
        {
            using TransportPeer peer = TransportPeer.ConnectTls(PortNumber, version, certificate);
            return Answers(peer);
        }
        catch (Exception fault) when (fault is IOException or AuthenticationException)
        {
            return false;
        }
    }

    protected string SerialShown(int port = 0)
    {
        using TransportPeer peer = TransportPeer.ConnectTls(port > 0 ? port : PortNumber);
        return ((SslStream)peer.Stream).RemoteCertificate!.GetSerialNumberString();
    }

    /// <summary>Waits until a server has logged something.</summary>
    protected void AwaitLog(string text)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; ; Thread.Sleep(10))
        {
            string log = Log();
            if (log.Contains(text, StringComparison.Ordinal))
                return;
            Assert.True(Environment.TickCount64 < endMs, log);
        }
    }

    private protected IRunningServer Start(
        string transport, params (string Directive, string Value)[] directives)
    {
        IRunningServer server = TransportServer.Launch(transport, Note, DirectivesOf(directives));
        _program = server as ProgramServer;
        return server;
    }

    private protected EmbeddedServer StartEmbedded(
        ITlsLibrary? tls, params (string Directive, string Value)[] directives) =>
        new(tls is null ? "auto" : "portable", tls, Note, DirectivesOf(directives));

    /// <summary>What a server needs for TLS, and what a test wants otherwise; an empty value is a directive
    /// less.
    /// </summary>
    protected IEnumerable<(string Directive, string Value)> DirectivesOf(
        params (string Directive, string Value)[] wanted)
    {
        Dictionary<string, string> all = new() { ["tls-port"] = $"{PortNumber}" };
        foreach ((string directive, string value) in
            ((string Directive, string Value)[])[.. Certificates.Directives, .. wanted])
            all[directive] = value;
        return all.Where(static pair => pair.Value.Length > 0).Select(static pair => (pair.Key, pair.Value));
    }

    /// <summary>A field of INFO tls or stats.</summary>
    protected static long InfoOf(RespClient client, string section, string field)
    {
        foreach (string line in client.Call("INFO", section).Text.Split("\r\n"))
        {
            if (line.StartsWith(field + ":", StringComparison.Ordinal))
                return long.Parse(line.AsSpan(field.Length + 1), provider: CultureInfo.InvariantCulture);
        }

        throw new InvalidOperationException($"INFO {section} has no {field}");
    }

    /// <summary>Waits until something holds.</summary>
    protected static void Await(Func<bool> holds)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; !holds(); Thread.Sleep(10))
            Assert.True(Environment.TickCount64 < endMs);
    }

    private string Log()
    {
        lock (_embeddedLog)
            return _program?.Output + string.Join('\n', _embeddedLog);
    }

    private void Note(string line)
    {
        lock (_embeddedLog)
            _embeddedLog.Add(line);
    }
}

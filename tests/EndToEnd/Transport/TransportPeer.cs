using System;
using System.IO;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>A client's connection, with TLS or without.</summary>
internal sealed class TransportPeer : IDisposable
{
    private const int TimeoutMs = 300_000;

    private TransportPeer(Socket socket, Stream stream) => (Socket, Stream) = (socket, stream);

    /// <summary>What the bytes of requests and replies travel over.</summary>
    public Stream Stream { get; }

    /// <summary>The socket below.</summary>
    public Socket Socket { get; }

    /// <summary>Connects to the loopback.</summary>
    public static TransportPeer Connect(int port)
    {
        Socket socket = Open(port);
        return new TransportPeer(socket, new NetworkStream(socket, ownsSocket: true));
    }

    /// <summary>Connects to the loopback with TLS.</summary>
    /// <param name="port">The server's port.</param>
    /// <param name="version">The version of the protocol.</param>
    /// <param name="certificate">What the client shows, or null.</param>
    /// <exception cref="IOException">The handshake fails.</exception>
    /// <exception cref="AuthenticationException">The handshake fails.</exception>
    public static TransportPeer ConnectTls(
        int port, SslProtocols version = SslProtocols.None, X509Certificate2? certificate = null)
    {
        Socket socket = Open(port);
        var tls = new SslStream(new NetworkStream(socket, ownsSocket: true));
        try
        {
            tls.AuthenticateAsClient(new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                EnabledSslProtocols = version,
                ClientCertificates = certificate is null ? null : [certificate],
                // Which certificates a client accepts is not the server's matter.
                RemoteCertificateValidationCallback = static (_, _, _, _) => true,
            });
            return new TransportPeer(socket, tls);
        }
        catch
        {
            tls.Dispose();
            throw;
        }
    }

    /// <summary>Reads to the end of a line, which is left out.</summary>
    public static string ReadLine(Stream stream)
    {
        var line = new StringBuilder();
        for (int next = stream.ReadByte(); next != '\n'; next = stream.ReadByte())
            line.Append(next < 0 ? throw new EndOfStreamException(line.ToString()) : (char)next);
        return line.ToString().TrimEnd('\r');
    }

    /// <summary>Reads to the end of a line, which is left out.</summary>
    public string ReadLine() => ReadLine(Stream);

    /// <summary>Ends the output, in the way of the protocol.</summary>
    public void EndOutput()
    {
        if (Stream is SslStream tls)
            tls.ShutdownAsync().GetAwaiter().GetResult();
        else
            Socket.Shutdown(SocketShutdown.Send);
    }

    /// <inheritdoc/>
    public void Dispose() => Stream.Dispose();

    private static Socket Open(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = TimeoutMs,
            SendTimeout = TimeoutMs,
        };
        socket.Connect("127.0.0.1", port);
        return socket;
    }
}

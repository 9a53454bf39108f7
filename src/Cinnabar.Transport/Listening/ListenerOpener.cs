// Opens sockets that a configuration names, in Redis's ways:
//
//   bind *, ::*                all addresses of a family; an IPv6 socket is for IPv6 only, so that both can
//                              be had
//   unixsocket /path           a file in its place is removed first; unixsocketperm and unixsocketgroup are
//                              set before clients can connect
//   socket-mark-id, mptcp      what the system does not have, or does not allow, is an error

using System.IO;
using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;

namespace Cinnabar.Transport.Listening;

/// <summary>Opens listening sockets.</summary>
internal sealed class ListenerOpener(Settings settings)
{
    // SOL_SOCKET and SO_MARK of Linux.
    private const int SocketLevel = 1;
    private const int MarkOption = 36;

    private readonly Settings _settings = settings;

    /// <summary>The address that a word of <c>bind</c>, without its minus sign, stands for.</summary>
    /// <exception cref="SocketException">There is none of this name.</exception>
    public static IPAddress AddressOf(string host)
    {
        if (host == "*")
            return IPAddress.Any;
        if (host == "::*")
            return IPAddress.IPv6Any;
        if (IPAddress.TryParse(host, out IPAddress? address))
            return address;
        AddressFamily family = host.Contains(':') ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork;
        IPAddress[] addresses = Dns.GetHostAddresses(host, family);
        return addresses.Length > 0 ? addresses[0] : throw new SocketException((int)SocketError.HostNotFound);
    }

    /// <summary>Opens a TCP socket.</summary>
    /// <param name="host">The address as it was configured.</param>
    /// <param name="endpoint">The address; port 0: any that is free.</param>
    /// <exception cref="SocketException">The address cannot be had.</exception>
    public Listener OpenTcp(string host, IPEndPoint endpoint)
    {
        Socket socket = _settings.AcceptsMultipath ? MultipathSocket.Open(endpoint.AddressFamily)
            : new Socket(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (_settings.SocketMark != 0)
                Mark(socket);
            // Not ReuseAddress: outside Windows the runtime already allows an address that only old
            // connections still hold, and that option would share the port with other servers.
            if (OperatingSystem.IsWindows())
                socket.ExclusiveAddressUse = true;
            if (endpoint.AddressFamily == AddressFamily.InterNetworkV6)
                socket.DualMode = false;
            socket.Bind(endpoint);
            Listen(socket);
            return new Listener(host, socket.LocalEndPoint!, socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Opens the Unix socket.</summary>
    /// <param name="path">Its path; a file there is removed.</param>
    /// <exception cref="ListenerFailedException">It cannot be had.</exception>
    public Listener OpenUnix(string path)
    {
        try
        {
            if (File.Exists(path))
                File.Delete(path);
            return BindUnix(path);
        }
        catch (Exception fault) when (fault is SocketException or IOException or UnauthorizedAccessException
            or ArgumentException)
        {
            // The runtime reports a missing directory as an unavailable address.
            string reason = Directory.Exists(Path.GetDirectoryName(Path.GetFullPath(path)))
                ? fault.Message : "No such file or directory";
            throw new ListenerFailedException($"Failed opening Unix socket: bind: {reason}", fault);
        }
    }

    private Listener BindUnix(string path)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        bool isBound = false;
        try
        {
            var endpoint = new UnixDomainSocketEndPoint(path);
            socket.Bind(endpoint);
            isBound = true;
            if (_settings.UnixSocketPermissions != 0 && !OperatingSystem.IsWindows())
                File.SetUnixFileMode(path, (UnixFileMode)_settings.UnixSocketPermissions);
            if (_settings.UnixSocketGroup.Length > 0)
                FileGroup.Set(path, _settings.UnixSocketGroup);
            Listen(socket);
            return new Listener(path, endpoint, socket);
        }
        catch
        {
            socket.Dispose();
            if (isBound)
                File.Delete(path);
            throw;
        }
    }

    private void Mark(Socket socket)
    {
        if (!OperatingSystem.IsLinux())
            throw new SocketException((int)SocketError.ProtocolOption);
        socket.SetRawSocketOption(SocketLevel, MarkOption, BitConverter.GetBytes(_settings.SocketMark));
    }

    private void Listen(Socket socket)
    {
        socket.Listen(_settings.TcpBacklog);
        socket.Blocking = false;
    }
}

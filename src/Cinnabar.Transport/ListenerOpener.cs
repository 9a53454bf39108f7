// Opens the sockets that a configuration names, in Redis's ways:
//
//   bind 127.0.0.1 -::1        every address must be had, but one behind a minus sign may be missing on this
// machine,
//                              and an address family may be missing altogether
//   port 0                     no TCP
//   unixsocket /path           a file in its place is removed first; unixsocketperm is set before anybody
// can connect
//
// An IPv6 socket is for IPv6 only, so that * and ::* can both be had.

using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Transport;

/// <summary>Opens and closes the listening sockets of a server.</summary>
internal sealed class ListenerOpener : IDisposable
{
    private const int FreePortAttemptCountMax = 16;

    private readonly Settings _settings;
    private readonly ILog _log;
    private readonly ListenChoice _choice;
    private readonly List<Socket> _sockets = [];
    private readonly List<string> _names = [];
    private string? _unixPath;

    /// <summary>Makes it; nothing is open yet.</summary>
    public ListenerOpener(ServerEngine engine, ListenChoice choice)
    {
        _settings = engine.Settings;
        _log = engine.Log;
        _choice = choice;
    }

    /// <summary>The open sockets; they do not block.</summary>
    public IReadOnlyList<Socket> Sockets => _sockets;

    /// <summary>What they are, for people.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>The TCP port; 0 where there is none.</summary>
    public int Port { get; private set; }

    /// <summary>Opens all.</summary>
    /// <exception cref="ListenerFailedException">One cannot be had.</exception>
    public void Open()
    {
        if (_choice.IsPortFree)
            OpenFreePort();
        else if (_settings.Port > 0)
            OpenTcp(_settings.Port);
        OpenUnix();
        if (_sockets.Count == 0 && !_choice.IsNowhereAllowed)
            throw new ListenerFailedException("Configured to not listen anywhere, exiting.", null);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Socket socket in _sockets)
            socket.Dispose();
        _sockets.Clear();
        if (_unixPath is { } path)
            File.Delete(path);
        _unixPath = null;
    }

    // The system chooses a port for the first address; another address may have it in use: then another is
    // tried.
    private void OpenFreePort()
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                OpenTcp(0);
                return;
            }
            catch (ListenerFailedException) when (attempt < FreePortAttemptCountMax && _sockets.Count > 0)
            {
                Dispose();
                _names.Clear();
                Port = 0;
            }
        }
    }

    private void OpenTcp(int port)
    {
        foreach (string name in _settings.Bind)
        {
            bool isOptional = name.StartsWith('-');
            string host = isOptional ? name[1..] : name;
            try
            {
                Socket socket = Listen(host, Port > 0 ? Port : port);
                Port = ((IPEndPoint)socket.LocalEndPoint!).Port;
            }
            catch (SocketException fault)
            {
                string step = fault.SocketErrorCode == SocketError.HostNotFound ? "" : "bind: ";
                _log.Write(LogLevel.Warning, "Warning: Could not create server TCP listening socket "
                    + $"{host}:{port}: {step}{fault.Message}");
                if (IsMissing(fault.SocketErrorCode, isOptional))
                    continue;
                throw new ListenerFailedException($"Failed listening on port {port} (tcp), aborting.", fault);
            }
        }

        if (Port == 0 && _settings.Bind.Length > 0)
            throw new ListenerFailedException($"Failed listening on port {port} (tcp), aborting.", null);
    }

    private static bool IsMissing(SocketError error, bool isOptional) => error switch
    {
        SocketError.AddressNotAvailable => isOptional,
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
            or SocketError.ProtocolNotSupported or SocketError.SocketNotSupported
            or SocketError.ProtocolOption => true,
        _ => false,
    };

    private Socket Listen(string host, int port)
    {
        IPAddress address = AddressOf(host);
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            // Not ReuseAddress: outside Windows the runtime lets addresses be taken again that only old
            // connections still hold, and that option would share the port with other servers.
            if (OperatingSystem.IsWindows())
                socket.ExclusiveAddressUse = true;
            if (address.AddressFamily == AddressFamily.InterNetworkV6)
                socket.DualMode = false;
            var endpoint = new IPEndPoint(address, port);
            socket.Bind(endpoint);
            Add(socket, $"tcp {socket.LocalEndPoint}");
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static IPAddress AddressOf(string host)
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

    private void OpenUnix()
    {
        if (_settings.UnixSocket.Length == 0)
            return;
        string path = ConfigurationText.ToPath(_settings.UnixSocket);
        try
        {
            if (File.Exists(path))
                File.Delete(path);
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            try
            {
                socket.Bind(new UnixDomainSocketEndPoint(path));
                _unixPath = path;
                if (_settings.UnixSocketPermissions != 0 && !OperatingSystem.IsWindows())
                    File.SetUnixFileMode(path, (UnixFileMode)_settings.UnixSocketPermissions);
                Add(socket, $"unix {path}");
            }
            catch
            {
                socket.Dispose();
                throw;
            }
        }
        catch (Exception fault) when (fault is SocketException or IOException or UnauthorizedAccessException
            or ArgumentException)
        {
            throw new ListenerFailedException($"Failed opening Unix socket: bind: {fault.Message}", fault);
        }
    }

    private void Add(Socket socket, string name)
    {
        socket.Listen(_settings.TcpBacklog);
        socket.Blocking = false;
        _sockets.Add(socket);
        _names.Add(name);
    }
}

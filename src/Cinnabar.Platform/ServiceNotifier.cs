// systemd's protocol for services of type "notify": datagrams of KEY=VALUE lines to the socket that the
// environment names, a path or, with a leading @, an abstract address. Source: sd_notify(3).
using System.Net.Sockets;

namespace Cinnabar.Platform;

/// <summary>Notifies the service supervisor of the server's state.</summary>
public sealed class ServiceNotifier
{
    private readonly string? _address;

    /// <param name="address">As in the variable NOTIFY_SOCKET; null or empty if there is no
    /// supervisor.</param>
    public ServiceNotifier(string? address)
    {
        _address = string.IsNullOrEmpty(address) ? null : address;
    }

    /// <summary>Whether there is a supervisor.</summary>
    public bool IsSupervised => _address is not null;

    /// <summary>A notifier for the supervisor of this process, if it has one.</summary>
    public static ServiceNotifier FromEnvironment() =>
        new(Environment.GetEnvironmentVariable("NOTIFY_SOCKET"));

    /// <summary>Sends a state, for instance <c>READY=1</c> or <c>STATUS=Loading</c>; several, a line
    /// each.</summary>
    /// <returns>False if there is no supervisor.</returns>
    /// <exception cref="SocketException">There is one, but it cannot be reached.</exception>
    public bool TryNotify(string state)
    {
        if (_address is null)
            return false;
        string path = _address[0] == '@' ? "\0" + _address[1..] : _address;
        using Socket socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        socket.SendTo(Encoding.UTF8.GetBytes(state), new UnixDomainSocketEndPoint(path));
        return true;
    }
}

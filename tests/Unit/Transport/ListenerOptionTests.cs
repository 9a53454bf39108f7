using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Listening;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>socket-mark-id and mptcp: what the system has and allows is there, all else is an error. And the
/// probes of accepted sockets.</summary>
public sealed class ListenerOptionTests
{
    private const string MultipathSwitch = "/proc/sys/net/mptcp/enabled";
    private const int SocketLevel = 1;
    private const int MarkOption = 36;
    private const int ProtocolOption = 38;
    private const int MultipathTcp = 262;

    [Fact]
    public void SocketsAreMarkedOrRefused()
    {
        if (MayMark())
            Assert.Equal(7, OptionOf("socket-mark-id", "7", MarkOption));
        else
            Assert.Throws<SocketException>(() => OptionOf("socket-mark-id", "7", MarkOption));
    }

    [Fact]
    public void SocketsAreOfMultipathTcpOrRefused()
    {
        if (File.Exists(MultipathSwitch) && File.ReadAllText(MultipathSwitch).Trim() == "1")
            Assert.Equal(MultipathTcp, OptionOf("mptcp", "yes", ProtocolOption));
        else
            Assert.Throws<SocketException>(() => OptionOf("mptcp", "yes", ProtocolOption));
    }

    [Fact]
    [SupportedOSPlatform("linux")]
    public void AcceptedSocketsProbeSilentPeersAsOftenAsWritten()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the options of epoll's sockets");
        var configuration = new ConfigurationRegistry();
        configuration.Override("tcp-keepalive", "60");
        configuration.Override("tcp-keepalive-probes", "7");
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

        new ListenerOptions(configuration.Settings).Apply((int)socket.Handle);

        Assert.Equal(60, TcpOption(socket, SocketOptionName.TcpKeepAliveTime));
        Assert.Equal(20, TcpOption(socket, SocketOptionName.TcpKeepAliveInterval));
        Assert.Equal(7, TcpOption(socket, SocketOptionName.TcpKeepAliveRetryCount));
    }

    private static int TcpOption(Socket socket, SocketOptionName name) =>
        (int)socket.GetSocketOption(SocketOptionLevel.Tcp, name)!;

    private static int OptionOf(string directive, string value, int option)
    {
        var configuration = new ConfigurationRegistry();
        configuration.Override(directive, value);
        using Socket socket = new ListenerOpener(configuration.Settings).OpenTcp(
            "127.0.0.1", new IPEndPoint(IPAddress.Loopback, 0)).Socket;
        byte[] number = new byte[sizeof(int)];
        socket.GetRawSocketOption(SocketLevel, option, number);
        return BitConverter.ToInt32(number);
    }

    private static bool MayMark()
    {
        if (!OperatingSystem.IsLinux())
            return false;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.SetRawSocketOption(SocketLevel, MarkOption, BitConverter.GetBytes(1));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}

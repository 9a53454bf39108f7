using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Transport.Listening;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>socket-mark-id and mptcp: what the system has and allows is there, all else is an
/// error.</summary>
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

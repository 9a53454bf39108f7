using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using Cinnabar.Load.Servers;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class ReservedPortTests
{
    [Fact]
    public void ItHasOneOwnerAndAServerMayListenThere()
    {
        using var port = new ReservedPort();
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var taken = Assert.Throws<SocketException>(
            () => other.Bind(new IPEndPoint(IPAddress.Any, port.Number)));
        Assert.Equal(SocketError.AddressAlreadyInUse, taken.SocketErrorCode);
        foreach (IPAddress address in (IPAddress[])[IPAddress.Any, IPAddress.Loopback])
        {
            using var listener = new TcpListener(address, port.Number);
            listener.Start();
            using var client = new TcpClient("127.0.0.1", port.Number);
        }
    }

    [Fact]
    public void TheSystemAssignsItToNoOtherProcess()
    {
        const string Range = "/proc/sys/net/ipv4/ip_local_port_range";
        Assert.SkipUnless(File.Exists(Range), "only Linux says which ports it gives away");
        string[] ends = File.ReadAllText(Range).Split('\t', StringSplitOptions.TrimEntries);
        int first = int.Parse(ends[0], CultureInfo.InvariantCulture);
        Assert.SkipUnless(first >= 20_000, "it gives away nearly all of them");
        using var port = new ReservedPort();
        Assert.InRange(port.Number, 10_000, first - 1);
    }
}

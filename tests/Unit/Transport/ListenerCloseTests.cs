using System;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Listening;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Portable;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>The address of a closed listener is free, even if a child process still has a copy of its
/// descriptor.</summary>
public sealed partial class ListenerCloseTests
{
    [Fact]
    public void TheAddressIsFreeThoughACopyOfTheSocketIsOpen()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only there listening can be ended before the closing");
        using var server = new TestServer();
        var opener = new ListenerOpener(server.Configuration.Settings);
        var load = new LoopLoad(server.Engine, 0, new Placement(1, isAlwaysSpread: false));
        using var transport = new PortableTransport(server.Engine.Loops[0], [], load);
        Listener first = opener.OpenTcp("127.0.0.1", new IPEndPoint(IPAddress.Loopback, 0));
        var all = new IPEndPoint(IPAddress.Any, ((IPEndPoint)first.EndPoint).Port);
        using var copy = new SafeSocketHandle(Duplicate((int)first.Socket.Handle), ownsHandle: true);
        Assert.False(copy.IsInvalid);
        transport.AddListener(first.Socket);
        transport.RemoveListener(first.Socket);
        using Socket second = opener.OpenTcp("*", all).Socket;
        Assert.Equal(all, second.LocalEndPoint);
    }

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Duplicate(int descriptor);
}

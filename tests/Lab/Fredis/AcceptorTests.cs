using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Lab.Fredis;
using Cinnabar.Lab.Fredis.Commands;
using Cinnabar.Lab.Fredis.Io;
using Microsoft.FSharp.Core;
using Xunit;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>The end of a station: nothing uses its listener once it is closed.</summary>
public sealed class AcceptorTests
{
    [Fact]
    public async Task EndsBeforeTheListenerIsClosed()
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        using CancellationTokenSource ended = new();
        Task accepting = Acceptor.start(listener,
            FuncConvert.FromFunc<Socket, IConnectionIo>(static socket => new AsyncIo(socket)),
            new Executor(), ended.Token);
        using RawClient client = new(((IPEndPoint)listener.LocalEndPoint!).Port);
        client.Send("PING\r\n");
        Assert.Equal("+PONG\r\n", client.ReadThrough("\r\n"));
        Assert.False(accepting.IsCompleted);
        await ended.CancelAsync();
        await accepting.WaitAsync(TimeSpan.FromMinutes(5), CancellationToken.None);
    }
}

using System;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>A server that answers one client's every request with a number.</summary>
internal sealed class CountingServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Thread _thread;

    public CountingServer(int count)
    {
        _listener.Start();
        _thread = new Thread(() => Serve(Encoding.ASCII.GetBytes($":{count}\r\n"))) { IsBackground = true };
        _thread.Start();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    // The client leaves first; a test that never connected ends the listener.
    public void Dispose() => _listener.Dispose();

    private void Serve(byte[] reply)
    {
        try
        {
            using Socket client = _listener.AcceptSocket();
            var request = new byte[256];
            while (client.Receive(request) > 0) client.Send(reply);
        }
        catch (SocketException failure) when (failure.SocketErrorCode
            is SocketError.ConnectionReset or SocketError.Interrupted or SocketError.OperationAborted)
        {
            // The client or the test has gone.
        }
    }
}

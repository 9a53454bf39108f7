using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cinnabar.Lab;

/// <summary>
/// The common parts of every managed station, so that stations differ only in their idea: it listens
/// on 127.0.0.1, prints one line when it is ready, starts one task a connection, and ends on SIGTERM or
/// SIGINT. SIGUSR1 makes it collect and print one line (the numbers of collections are those before the
/// forced one):
/// <code>gc gen0=41 gen1=7 gen2=2 pauseMs=12.5 heapBytes=9001 collectedHeapBytes=4711</code>
/// Nagle's algorithm is off, as in redis-server: it would measure the kernel's timer for acknowledgements.
/// </summary>
public static class StationProcess
{
    private const int BacklogCountMax = 1024;
    private const int CollectSignalLinux = 10;
    private const int CollectSignalMac = 30;
    private const int ExitUsage = 2;
    private const int RetryMs = 10;

    /// <summary>Runs until a signal ends it; returns the exit code.</summary>
    /// <param name="name">What the line of readiness calls the station.</param>
    /// <param name="readOptions">Reads the command line; its ArgumentException is the user's answer.</param>
    /// <param name="create">Makes the station; what it makes serves one connection until its end.</param>
    public static int Run(string name, Func<StationOptions> readOptions,
        Func<StationOptions, Func<Socket, Task>> create)
    {
        try
        {
            StationOptions options = readOptions();
            ListenAsync(name, options.Port, create(options)).GetAwaiter().GetResult();
            return 0;
        }
        catch (ArgumentException wrong)
        {
            Console.Error.WriteLine($"{name}: {wrong.Message}");
            return ExitUsage;
        }
    }

    private static async Task ListenAsync(string name, int port, Func<Socket, Task> serve)
    {
        using var stop = new CancellationTokenSource();
        Action<PosixSignalContext> end = signal =>
        {
            signal.Cancel = true;
            stop.Cancel();
        };
        using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, end);
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, end);
        using var collect = OperatingSystem.IsWindows() ? null : PosixSignalRegistration.Create(
            (PosixSignal)(OperatingSystem.IsMacOS() ? CollectSignalMac : CollectSignalLinux), Collect);
        using var listener = new TcpListener(IPAddress.Loopback, port);
        listener.Start(BacklogCountMax);
        Console.WriteLine($"{name}: ready on {listener.LocalEndpoint}");
        try
        {
            for (; ; )
            {
                try
                {
                    Socket socket = await listener.AcceptSocketAsync(stop.Token);
                    socket.NoDelay = true;
                    _ = Task.Run(() => ServeAsync(name, socket, serve));
                }
                catch (SocketException)
                {
                    // The client has left already, or there is no free descriptor: try the next one later.
                    await Task.Delay(RetryMs, stop.Token);
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The signal: the process ends, and with it every connection.
        }
    }

    private static async Task ServeAsync(string name, Socket socket, Func<Socket, Task> serve)
    {
        try
        {
            using (socket) await serve(socket);
        }
        catch (Exception end) when (end is IOException or SocketException or ProtocolException)
        {
            // The client left, or sent an invalid command: this ends only its connection.
        }
        catch (Exception fault)
        {
            await Console.Error.WriteLineAsync($"{name}: a connection ended by {fault}");
        }
    }

    private static void Collect(PosixSignalContext signal)
    {
        signal.Cancel = true;
        string counts = $"gen0={GC.CollectionCount(0)} gen1={GC.CollectionCount(1)} "
            + $"gen2={GC.CollectionCount(2)}";
        double pauseMs = GC.GetTotalPauseDuration().TotalMilliseconds;
        long heapBytes = GC.GetTotalMemory(forceFullCollection: false);
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        Console.WriteLine($"gc {counts} pauseMs={pauseMs:F3} heapBytes={heapBytes} "
            + $"collectedHeapBytes={GC.GetTotalMemory(forceFullCollection: false)}");
    }
}

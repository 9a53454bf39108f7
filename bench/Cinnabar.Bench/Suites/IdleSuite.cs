using System;
using System.Collections.Generic;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The memory in the server's process of connections that have been used and now do
/// nothing.</summary>
internal sealed class IdleSuite : ISuite
{
    private const int ConnectionCount = 10_000;
    private const int OpenFilesLimit = 7;
    private const ulong OpenFilesWanted = 65_536;

    public string Name => "idle";

    public string Title => "Memory of 10,000 idle connections";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round, SuiteReport report)
    {
        AllowOpenFiles();
        var allowing = spec with { Command = spec.Command + " --maxclients 20000" };
        using ServerProcess server = round.Start(allowing, report);
        // The first connection pays for what all share.
        using (Open(server.Port)) Settle();
        long before = server.ResidentBytes;
        var clients = new List<TcpClient>();
        try
        {
            round.Tell($"{spec.Name}: {ConnectionCount:N0} connections");
            for (int index = 0; index < ConnectionCount; index++) clients.Add(Open(server.Port));
            Settle();
            double bytes = server.ResidentBytes - before;
            report.Add("resident memory", "bytes a connection", spec, bytes / ConnectionCount);
        }
        finally
        {
            foreach (TcpClient client in clients) client.Dispose();
        }
    }

    // Each connection has been asked once, so that what a command needs has been taken and should be back.
    private static TcpClient Open(int port)
    {
        var client = new TcpClient("127.0.0.1", port);
        NetworkStream stream = client.GetStream();
        stream.Write("PING\r\n"u8);
        int size = 0;
        if (new ReplyReader(stream).Read(ref size) != "PONG")
            throw new LoadException("PING was not answered");
        return client;
    }

    private static void Settle() => Thread.Sleep(TimeSpan.FromSeconds(2));

    // Servers that are started from here on inherit the limit.
    private static unsafe void AllowOpenFiles()
    {
        if (!OperatingSystem.IsLinux()) return;
        ulong* limits = stackalloc ulong[2];
        limits[0] = limits[1] = OpenFilesWanted;
        _ = LibC.setrlimit(OpenFilesLimit, limits);
        string limit = System.IO.File.ReadAllText("/proc/self/limits");
        string line = limit[limit.IndexOf("Max open files", StringComparison.Ordinal)..].Split('\n')[0];
        string soft = line["Max open files".Length..].TrimStart().Split(' ')[0];
        if (soft != "unlimited" && long.Parse(soft) < 2 * ConnectionCount)
            throw new LoadException($"only {soft} open files are allowed: raise the limit (ulimit -n)");
    }
}

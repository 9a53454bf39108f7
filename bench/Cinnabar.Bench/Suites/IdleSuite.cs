using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The memory in the server's process of connections that have been used and now do
/// nothing.</summary>
internal sealed class IdleSuite : ISuite
{
    private const int ConnectionCount = 10_000;
    private const int QuickConnectionCount = 500;

    public string Name => "idle";

    public string Title => "Memory of 10,000 idle connections";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        int count = round.IsQuick ? QuickConnectionCount : ConnectionCount;
        // Servers that are started from here on inherit the limit.
        if (ProcessorPin.AllowOpenFiles() < 2 * count)
            throw new LoadException("too few open files are allowed: raise the limit (ulimit -n)");
        using MeasuredServer server = round.Start(spec with
        {
            Command = spec.Command.Count > 0 ? [.. spec.Command, "--maxclients", "20000"] : [],
        });
        // The first connection allocates the shared memory.
        using (Open(server)) Settle();
        long before = Round.UsageOf(server).ResidentBytes();
        var links = new List<ServerLink>();
        try
        {
            round.Live.ShowStep($"{count:N0} connections");
            links.AddRange(Enumerable.Range(0, count).Select(_ => Open(server)));
            Settle();
            double bytes = Round.UsageOf(server).ResidentBytes() - before;
            round.Report.Add("resident memory", "bytes a connection", spec.Name, bytes / count,
                isHeadline: true);
        }
        finally
        {
            foreach (ServerLink link in links) link.Dispose();
        }
    }

    // Each connection runs one command, so that memory of its execution has been allocated and freed.
    private static ServerLink Open(MeasuredServer server)
    {
        ServerLink link = server.Link();
        return link.Ask("PING") == "PONG" ? link : throw new LoadException("PING was not answered");
    }

    private static void Settle() => Thread.Sleep(TimeSpan.FromSeconds(2));
}

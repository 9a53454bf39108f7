using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>Throughput of the data types' commands on one collection each, 16 deep, over a unix socket where
/// the server has one. Over loopback TCP the system takes 0.3 µs of a short command for each of the two
/// processes, twice as much: there even the null server is hardly twice as fast as redis, and the command is
/// little of the measured time. PING represents a command without cost.</summary>
internal sealed class TypesSuite : ISuite
{
    private const int DataSize = 16;
    private const int ClientCount = 50;
    private const int Depth = 16;
    private const int WarmUpCount = 100_000;
    private const double WarmUpShare = 0.5;

    public string Name => "types";

    public string Title => "Commands of the data types, 16 deep, 50 clients, unix socket";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 1;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        WarmUp(server, round);
        if (server.UnixAddress is null) round.Report.Note($"{spec.Name}: over TCP, without a unix socket");
        foreach (TypeLoad load in TypeLoad.All) Measure(load, server, round);
    }

    // A server with a JIT compiler needs a second or two of each command; otherwise the first commands would
    // pay for all.
    private static void WarmUp(MeasuredServer server, Round round)
    {
        foreach (TypeLoad load in TypeLoad.All)
        {
            round.Live.ShowStep($"{load.Name}, warm up");
            LoadOptions options = round.Load(server, WarmUpCount, DataSize) with
            {
                ClientCount = ClientCount,
                Depth = Depth,
                Commands = [load.Template],
            };
            Restart(load, options, server, round);
            Run(load, options, server);
        }
    }

    private static void Measure(TypeLoad load, MeasuredServer server, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 1_000_000);
        LoadOptions options = round.Load(server, count, DataSize) with
        {
            Server = server.UnixAddress ?? server.Address,
            ClientCount = ClientCount,
            Depth = Depth,
            Commands = [load.Template],
        };
        round.Live.ShowStep(load.Name);
        // The warm-up fills the collection too, if the load measures that; pops find it refilled.
        if (load.IsPop) options = options with { RequestCount = count / ClientCount };
        Restart(load, options, server, round);
        Run(load, options with { Seconds = round.Seconds * WarmUpShare }, server);
        if (load.IsPop) Restart(load, options, server, round);
        LoadResult result = Run(load, options, server);
        round.Report.Add(load.Name, "ops/s", server.Spec.Name, result.Rate, load.IsHeadline);
    }

    private static void Restart(TypeLoad load, LoadOptions options, MeasuredServer server, Round round)
    {
        using (ServerLink link = server.Link()) link.Ask("FLUSHALL");
        if (load.Fill is not null) round.FillWith(load.Fill, options);
    }

    private static LoadResult Run(TypeLoad load, LoadOptions options, MeasuredServer server)
    {
        using var generator = new LoadGenerator(options);
        LoadResult result = generator.Run();
        return result.ErrorCount == 0 ? result
            : throw new LoadException($"{server.Spec.Name}, {load.Name}: {result.FirstError}");
    }
}

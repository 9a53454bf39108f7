using System.Globalization;
using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>What rules, events and tracking cost, as the server's processor time for an operation: with and
/// without, in turns, on one server.</summary>
internal sealed class AccessSuite : ISuite
{
    private const int DataSize = 64;
    private const int Depth = 30;
    private const int ClientCount = 64;
    private const int RuleCount = 100;
    private const int TurnCount = 4;
    private const double WarmUpShare = 0.3;

    public string Name => "access";

    public string Title => "The cost of 100 ACL rules, of all events without a listener, of tracking";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 1;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        long keyCount = round.KeyCount ?? (round.IsQuick ? 1_000 : 100_000);
        LoadOptions load = round.Load(server, keyCount, DataSize) with { ClientCount = ClientCount };
        round.Fill(server, load, keyCount);
        LoadOptions gets = load with { Commands = [CommandTemplate.Get()], Depth = Depth };
        LoadOptions sets = load with { Commands = [CommandTemplate.Set()], Depth = Depth };
        string[] rules = [.. Enumerable.Range(1, RuleCount - 1).Select(number =>
            $"~other:{number.ToString(CultureInfo.InvariantCulture)}:*"), $"~{load.Keys.Prefix}*"];
        Compare(server, round, new Comparison("GET, 30 deep, 100 ACL rules", gets, gets,
            ["ACL", "SETUSER", "default", "resetkeys", "~*"],
            ["ACL", "SETUSER", "default", "resetkeys", .. rules]));
        Compare(server, round, new Comparison("SET, 30 deep, all events", sets, sets,
            ["CONFIG", "SET", "notify-keyspace-events", ""],
            ["CONFIG", "SET", "notify-keyspace-events", "KEA"]));
        LoadOptions one = load with
        {
            Commands = [CommandTemplate.Get()],
            Depth = 1,
            Session = load.Session with { IsResp3 = true },
        };
        LoadOptions tracking = one with { Session = one.Session with { IsTracking = true } };
        Compare(server, round, new Comparison("GET, 1 deep, tracking", one, tracking, ["PING"], ["PING"]));
    }

    private static void Ask(MeasuredServer server, string[] command)
    {
        using ServerLink link = server.Link();
        link.Ask(command);
    }

    private static void Compare(MeasuredServer server, Round round, Comparison of)
    {
        (double withoutUs, double withUs) = (0, 0);
        for (int turn = 0; turn < TurnCount; turn++)
        {
            Ask(server, of.Off);
            withoutUs += Run(server, round, $"{of.Name}: without", of.Without);
            Ask(server, of.On);
            withUs += Run(server, round, $"{of.Name}: with", of.With);
        }

        Ask(server, of.Off);
        string name = server.Spec.Name;
        round.Report.Add($"{of.Name}: without", "µs/op", name, withoutUs / TurnCount, isHeadline: true);
        round.Report.Add($"{of.Name}: with", "µs/op", name, withUs / TurnCount, isHeadline: true);
        round.Report.Add($"{of.Name}: cost", "%", name, 100 * ((withUs / withoutUs) - 1), isHeadline: true);
    }

    private static double Run(MeasuredServer server, Round round, string step, LoadOptions load)
    {
        round.Live.ShowStep(step);
        using var generator = new LoadGenerator(load with { Seconds = round.Seconds / TurnCount });
        generator.Run(round.Seconds / TurnCount * WarmUpShare);
        double before = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        double cpu = Round.UsageOf(server).CpuSeconds() - before;
        return result.ErrorCount == 0 ? cpu * 1e6 / result.RequestCount
            : throw new LoadException($"{step}: {result.FirstError}");
    }

    private sealed record Comparison(
        string Name, LoadOptions Without, LoadOptions With, string[] Off, string[] On);
}

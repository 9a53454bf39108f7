using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>From the start of the process to the first PONG.</summary>
internal sealed class StartSuite : ISuite
{
    public string Name => "start";

    public string Title => "Process start to first PONG";

    public string Servers => "redis,cinnabar";

    public int Rounds => 11;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        if (server.StartTime is { } time)
            round.Report.Add("first PONG", "ms", spec.Name, time.TotalMilliseconds);
        round.Report.Add("resident memory", "MB", spec.Name, Round.UsageOf(server).ResidentBytes() / 1e6);
    }
}

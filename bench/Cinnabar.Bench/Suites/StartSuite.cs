using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>From the start of the process to the first PONG, and the memory of the empty server.</summary>
internal sealed class StartSuite : ISuite
{
    public string Name => "start";

    public string Title => "Process start to first PONG, and the empty server";

    public string Servers => "redis,cinnabar";

    public int Rounds => 5;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        if (server.StartTime is { } time)
            round.Report.Add("first PONG", "ms", spec.Name, time.TotalMilliseconds, isHeadline: true);
        round.Report.Add("resident when empty", "MB", spec.Name, Round.SettledBytes(server) / 1e6,
            isHeadline: true);
    }
}

using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>From the start of the process to the first PONG.</summary>
internal sealed class StartSuite : ISuite
{
    public string Name => "start";

    public string Title => "Process start to first PONG";

    public string Servers => "redis,cinnabar";

    public int Rounds => 11;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round, SuiteReport report)
    {
        using ServerProcess server = round.Start(spec, report);
        report.Add("first PONG", "ms", spec, server.StartTime.TotalMilliseconds);
        report.Add("resident memory", "MB", spec, server.ResidentBytes / 1e6);
    }
}

using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A minute under load in one piece, for what shows only then: garbage collections, rare
/// pauses.</summary>
internal sealed class MinuteSuite : ISuite
{
    private readonly MixSuite _mix = new();

    public string Name => "minute";

    public string Title => "A minute of each load without a break";

    public string Servers => "cinnabar";

    public int Rounds => 1;

    public double Seconds => 60;

    public void Measure(ServerSpec spec, Round round, SuiteReport report) =>
        _mix.Measure(spec, round, report);
}

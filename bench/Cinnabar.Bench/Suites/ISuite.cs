using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A question that is answered by measuring every server in turn.</summary>
internal interface ISuite
{
    /// <summary>Its name on the command line.</summary>
    string Name { get; }

    /// <summary>What it measures, in a line.</summary>
    string Title { get; }

    /// <summary>The servers it measures by default.</summary>
    string Servers { get; }

    /// <summary>How many rounds it takes by default.</summary>
    int Rounds { get; }

    /// <summary>How long one measurement takes by default, in seconds; 0 where that depends on its
    /// work.</summary>
    double Seconds { get; }

    /// <summary>Measures one server once and adds the results to the round's report.</summary>
    void Measure(ServerSpec spec, Round round);
}

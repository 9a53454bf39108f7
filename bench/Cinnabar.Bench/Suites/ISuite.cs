using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A question that is answered by measuring every server in turn.</summary>
internal interface ISuite
{
    /// <summary>Its name on the command line.</summary>
    string Name { get; }

    /// <summary>What it measures, in a line.</summary>
    string Title { get; }

    /// <summary>The servers it measures unless told otherwise.</summary>
    string Servers { get; }

    /// <summary>How many rounds it takes unless told otherwise.</summary>
    int Rounds { get; }

    /// <summary>How long one measurement takes unless told otherwise, in seconds; 0 where it takes as long as
    /// its work takes.</summary>
    double Seconds { get; }

    /// <summary>Measures one server once and adds what it found to the round's report.</summary>
    void Measure(ServerSpec spec, Round round);
}

using System.Collections.Generic;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A suite that has all servers running at once and gives each of its questions to one right after
/// the other.</summary>
internal interface ISideBySideSuite : ISuite
{
    /// <summary>Measures every server once and adds what it found to the round's report.</summary>
    void Measure(IReadOnlyList<ServerSpec> specs, Round round);
}

using System.Collections.Generic;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A suite that runs all servers at once and measures one right after the other.</summary>
internal interface ISideBySideSuite : ISuite
{
    /// <summary>Measures every server once and adds the results to the round's report.</summary>
    void Measure(IReadOnlyList<ServerSpec> specs, Round round);
}

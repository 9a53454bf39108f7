using System.Collections.Generic;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A suite that first measures all servers, to find a load that all can serve.</summary>
internal interface IComparingSuite : ISuite
{
    /// <summary>Measures that, once before the first round.</summary>
    void Prepare(IReadOnlyList<ServerSpec> specs, Round round);
}

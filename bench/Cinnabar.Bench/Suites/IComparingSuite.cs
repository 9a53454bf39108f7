using System.Collections.Generic;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>A suite that needs something of all servers before it measures one: a load that all can
/// take.</summary>
internal interface IComparingSuite : ISuite
{
    /// <summary>Measures that, once before the first round.</summary>
    void Prepare(IReadOnlyList<ServerSpec> specs, Round round);
}

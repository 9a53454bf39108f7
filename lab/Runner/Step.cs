using System.Collections.Generic;
using System.Linq;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;

namespace Cinnabar.Lab.Runner;

/// <summary>One start of one station under one workload.</summary>
internal sealed record Step(int Round, IWorkload Workload, StationEntry Station)
{
    /// <summary>All steps in their order: rounds outside, stations inside, so that changes of the machine
    /// affect all alike; and each round begins with another station, so that none always follows the same
    /// one.</summary>
    public static IEnumerable<Step> All(int rounds, IReadOnlyList<IWorkload> workloads,
        IReadOnlyList<StationEntry> stations)
    {
        for (int round = 1; round <= rounds; round++)
            foreach (IWorkload workload in workloads)
            {
                List<StationEntry> takers = [.. stations.Where(workload.Takes)];
                for (int index = 0; index < takers.Count; index++)
                    yield return new Step(round, workload, takers[(index + round - 1) % takers.Count]);
            }
    }
}

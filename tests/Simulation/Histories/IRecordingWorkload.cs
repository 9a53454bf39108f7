using System.Collections.Generic;
using Cinnabar.Tests.Simulation.Simulating;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>A workload whose operations are recorded, to be checked as a history.</summary>
internal interface IRecordingWorkload : IWorkload
{
    /// <summary>What has been recorded, in the client's order.</summary>
    IReadOnlyList<Operation> Operations { get; }
}

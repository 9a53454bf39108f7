namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>What is wrong on purpose in a simulation of replicas, with which it must fail.</summary>
internal enum ReplicaFault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A replica loses one byte of the stream.</summary>
    LosesByte,

    /// <summary>A replica asks for the stream behind the place where it is.</summary>
    AsksTooFar,

    /// <summary>A replica does not execute one command of the stream.</summary>
    SkipsCommand,
}

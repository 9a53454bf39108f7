namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>What a replica of this server waits for or gets.</summary>
internal enum ReplicaPhase
{
    /// <summary>It has told something of itself and has not asked for the stream.</summary>
    Announced,

    /// <summary>It needs all data; no snapshot has been taken for it.</summary>
    WaitingForMoment,

    /// <summary>The snapshot that it gets is being written to a file.</summary>
    WaitingForFile,

    /// <summary>It gets the data.</summary>
    Transfer,

    /// <summary>It has the data, up to a mark that it must find before other bytes come: the stream begins
    /// when it acknowledges.</summary>
    WaitingForAcknowledgement,

    /// <summary>It gets the stream.</summary>
    Online,

    /// <summary>It has the data and wants no stream: it will disconnect.</summary>
    Finished,

    /// <summary>Its session is closed.</summary>
    Closed,
}

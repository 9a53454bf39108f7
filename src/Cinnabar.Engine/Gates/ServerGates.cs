namespace Cinnabar.Engine.Gates;

/// <summary>States of a server that keep all commands off the shortest path.</summary>
[Flags]
internal enum ServerGates
{
    /// <summary>Nothing special.</summary>
    None = 0,

    /// <summary>CLIENT PAUSE is in force.</summary>
    Paused = 1 << 0,

    /// <summary>A session monitors.</summary>
    Monitored = 1 << 1,

    /// <summary>The memory in use is near or past the limit.</summary>
    MemoryNear = 1 << 2,

    /// <summary>There are fewer replicas than writes need.</summary>
    ReplicasMissing = 1 << 3,

    /// <summary>A disk does not keep up with the commands that write: these wait.</summary>
    WritesHeld = 1 << 4,

    /// <summary>The data are being loaded: commands without the flag <c>loading</c> are refused.</summary>
    Loading = 1 << 5,

    /// <summary>What is written cannot be saved.</summary>
    DiskFailed = 1 << 6,

    /// <summary>A script has run for too long, and that concerns all commands
    /// (<c>busy-reply-scope</c>).</summary>
    Busy = 1 << 7,

    /// <summary>Users have changed, and loops have yet to bring their sessions up to date.</summary>
    UsersChanging = 1 << 8,

    /// <summary>The server is a replica that takes no writes from clients.</summary>
    ReplicaReadOnly = 1 << 9,

    /// <summary>The server is a replica whose link to its master is down, and serves no old data.</summary>
    MasterDown = 1 << 10,

    /// <summary>A master's data are being loaded beside the server's own: commands with the flag
    /// <c>no_async_loading</c> are refused.</summary>
    AsyncLoading = 1 << 11,

    /// <summary>The server is a replica: clients that follow redirections are sent to its master
    /// (<see cref="GateSet.Redirection"/>).</summary>
    Replica = 1 << 12,

    /// <summary>Data are being loaded.</summary>
    AnyLoading = Loading | AsyncLoading,
}

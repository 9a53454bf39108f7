namespace Cinnabar.Engine.Specs;

/// <summary>
/// What a command is and where it may run. The names are Redis's; the order of the bits is the order in
/// which COMMAND INFO lists them.
/// </summary>
[Flags]
public enum CommandFlags : uint
{
    /// <summary>No flag.</summary>
    None = 0,

    /// <summary>It may change data.</summary>
    Write = 1u << 0,

    /// <summary>It reads data and changes none.</summary>
    ReadOnly = 1u << 1,

    /// <summary>It is refused when memory is over the limit.</summary>
    DenyOom = 1u << 2,

    /// <summary>A module made it.</summary>
    Module = 1u << 3,

    /// <summary>It is for administrators.</summary>
    Admin = 1u << 4,

    /// <summary>It belongs to pub/sub.</summary>
    PubSub = 1u << 5,

    /// <summary>Scripts may not call it.</summary>
    NoScript = 1u << 6,

    /// <summary>It may block the client.</summary>
    Blocking = 1u << 7,

    /// <summary>It runs while a data set is being loaded.</summary>
    Loading = 1u << 8,

    /// <summary>It runs on a replica that lost its master and serves no stale data.</summary>
    Stale = 1u << 9,

    /// <summary>MONITOR does not show it.</summary>
    SkipMonitor = 1u << 10,

    /// <summary>The slow log does not show it.</summary>
    SkipSlowLog = 1u << 11,

    /// <summary>It runs in a slot that is being imported, as if after ASKING.</summary>
    Asking = 1u << 12,

    /// <summary>Its time does not grow with the data.</summary>
    Fast = 1u << 13,

    /// <summary>It runs before the client has logged in.</summary>
    NoAuth = 1u << 14,

    /// <summary>It may propagate to replicas although it writes nothing.</summary>
    MayReplicate = 1u << 15,

    /// <summary>Its keys are optional.</summary>
    NoMandatoryKeys = 1u << 16,

    /// <summary>It is off unless a directive permits it.</summary>
    Protected = 1u << 17,

    /// <summary>It does not run while a replica loads a data set beside the old one.</summary>
    NoAsyncLoading = 1u << 18,

    /// <summary>Not allowed in a transaction.</summary>
    NoMulti = 1u << 19,

    /// <summary>First, last and step do not describe all its keys.</summary>
    MovableKeys = 1u << 20,

    /// <summary>It runs while a script or a long command is holding the server.</summary>
    AllowBusy = 1u << 21,

    /// <summary>It reaches keys that are not among its arguments.</summary>
    TouchesArbitraryKeys = 1u << 22,

    /// <summary>It runs in a session of RESP2 that has subscriptions.</summary>
    AllowSubscribed = 1u << 23,

    /// <summary>It runs at once between MULTI and EXEC.</summary>
    NotQueued = 1u << 24,

    /// <summary>It counts as a use of its keys even after CLIENT NO-TOUCH.</summary>
    AlwaysTouch = 1u << 25,

    /// <summary>It stays on its loop, which owns what it changes.</summary>
    OnLoop = 1u << 26,

    /// <summary>The shortest path may run it although it has no key.</summary>
    ShortPath = 1u << 27,

    /// <summary>It runs a script, which calls other commands.</summary>
    RunsScript = 1u << 28,

    /// <summary>What it runs is a function, which its first argument names.</summary>
    RunsFunction = 1u << 29,

    /// <summary>Its first argument is the digest of the script that it runs, not the text.</summary>
    NamesDigest = 1u << 30,

    /// <summary>The flags that COMMAND INFO does not show.</summary>
    Hidden = MayReplicate | Protected | TouchesArbitraryKeys | AllowSubscribed | NotQueued | AlwaysTouch
        | OnLoop | ShortPath | RunsScript | RunsFunction | NamesDigest,
}

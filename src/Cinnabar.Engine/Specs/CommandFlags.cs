namespace Cinnabar.Engine.Specs;

/// <summary>
/// What a command is and where it may run. The names are Redis's; the order of the bits is the order in
/// which COMMAND INFO lists them.
/// </summary>
[Flags]
public enum CommandFlags : ulong
{
    /// <summary>No flag.</summary>
    None = 0,

    /// <summary>It may change data.</summary>
    Write = 1ul << 0,

    /// <summary>It reads data and changes none.</summary>
    ReadOnly = 1ul << 1,

    /// <summary>It is refused when memory is over the limit.</summary>
    DenyOom = 1ul << 2,

    /// <summary>A module made it.</summary>
    Module = 1ul << 3,

    /// <summary>It is for administrators.</summary>
    Admin = 1ul << 4,

    /// <summary>It belongs to pub/sub.</summary>
    PubSub = 1ul << 5,

    /// <summary>Scripts may not call it.</summary>
    NoScript = 1ul << 6,

    /// <summary>It may block the client.</summary>
    Blocking = 1ul << 7,

    /// <summary>It runs while a data set is being loaded.</summary>
    Loading = 1ul << 8,

    /// <summary>It runs on a replica that lost its master and serves no stale data.</summary>
    Stale = 1ul << 9,

    /// <summary>MONITOR does not show it.</summary>
    SkipMonitor = 1ul << 10,

    /// <summary>The slow log does not show it.</summary>
    SkipSlowLog = 1ul << 11,

    /// <summary>It runs in a slot that is being imported, as if after ASKING.</summary>
    Asking = 1ul << 12,

    /// <summary>Its time does not grow with the data.</summary>
    Fast = 1ul << 13,

    /// <summary>It runs before the client has logged in.</summary>
    NoAuth = 1ul << 14,

    /// <summary>It may propagate to replicas although it writes nothing.</summary>
    MayReplicate = 1ul << 15,

    /// <summary>Its keys are optional.</summary>
    NoMandatoryKeys = 1ul << 16,

    /// <summary>It is off unless a directive permits it.</summary>
    Protected = 1ul << 17,

    /// <summary>It does not run while a replica loads a data set beside the old one.</summary>
    NoAsyncLoading = 1ul << 18,

    /// <summary>Not allowed in a transaction.</summary>
    NoMulti = 1ul << 19,

    /// <summary>First, last and step do not describe all its keys.</summary>
    MovableKeys = 1ul << 20,

    /// <summary>It runs while a script or a long command is holding the server.</summary>
    AllowBusy = 1ul << 21,

    /// <summary>It reaches keys that are not among its arguments.</summary>
    TouchesArbitraryKeys = 1ul << 22,

    /// <summary>It runs in a session of RESP2 that has subscriptions.</summary>
    AllowSubscribed = 1ul << 23,

    /// <summary>It runs at once between MULTI and EXEC.</summary>
    NotQueued = 1ul << 24,

    /// <summary>It counts as a use of its keys even after CLIENT NO-TOUCH.</summary>
    AlwaysTouch = 1ul << 25,

    /// <summary>It stays on its loop, which owns what it changes.</summary>
    OnLoop = 1ul << 26,

    /// <summary>The shortest path may run it although it has no key.</summary>
    ShortPath = 1ul << 27,

    /// <summary>It runs a script, which calls other commands.</summary>
    RunsScript = 1ul << 28,

    /// <summary>What it runs is a function, which its first argument names.</summary>
    RunsFunction = 1ul << 29,

    /// <summary>Its first argument is the digest of the script that it runs, not the text.</summary>
    NamesDigest = 1ul << 30,

    /// <summary>BY and GET among its arguments are patterns: their keys follow from the elements.</summary>
    ReadsByPattern = 1ul << 31,

    /// <summary>It ends the transaction of its session, whether the queued commands run or not.</summary>
    EndsTransaction = 1ul << 32,

    /// <summary>The names of a group and a consumer stand before the keyword of its keys, and may look like
    /// it.</summary>
    NamesGroup = 1ul << 33,

    /// <summary>The flags that COMMAND INFO does not show.</summary>
    Hidden = MayReplicate | Protected | TouchesArbitraryKeys | AllowSubscribed | NotQueued | AlwaysTouch
        | OnLoop | ShortPath | RunsScript | RunsFunction | NamesDigest | ReadsByPattern | EndsTransaction
        | NamesGroup,
}

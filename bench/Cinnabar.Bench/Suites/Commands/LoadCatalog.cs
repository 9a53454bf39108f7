using System.Collections.Generic;
using Cinnabar.Bench.Suites.Commands.Families;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>Every command of spec/: how it is measured, or why it is not.</summary>
internal static class LoadCatalog
{
    /// <summary>What is measured.</summary>
    public static IReadOnlyList<CommandFamily> Families { get; } =
    [
        StringLoads.Strings, StringLoads.Bitmaps, KeyLoads.All, ListLoads.All, SetLoads.All,
        SortedSetLoads.All, HashLoads.All, HashLoads.Deadlines, StreamLoads.All, OtherTypeLoads.All,
        SessionLoads.Messages, SessionLoads.Transactions, SessionLoads.Connections, ServerLoads.Scripts,
        ServerLoads.Administration, ServerLoads.Emptying,
    ];

    /// <summary>What is not measured: the command, or <c>container|*</c> for all of its subcommands, or
    /// <c>*|help</c>, with the reason.</summary>
    public static IReadOnlyDictionary<string, string> LeftOut { get; } = new Dictionary<string, string>
    {
        ["*|help"] = "a constant text",
        ["acl|load"] = "reads a file",
        ["acl|save"] = "writes a file",
        ["asking"] = "an error outside a cluster",
        ["bgrewriteaof"] = "starts background work; see the suites files and appends",
        ["bgsave"] = "starts background work; see the suite saving",
        ["client|getredir"] = "as CLIENT TRACKINGINFO",
        ["client|import-source"] = "only while data are imported",
        ["client|kill"] = "ends the load's own connections",
        ["client|pause"] = "stops the load",
        ["cluster|*"] = "errors outside a cluster",
        ["clusterscan"] = "an error outside a cluster",
        ["config|rewrite"] = "writes a file",
        ["debug"] = "a tool of tests",
        ["failover"] = "an administrator's, once; see the suite replication",
        ["function|kill"] = "an error unless a function runs",
        ["function|restore"] = "an administrator's, once",
        ["latency|graph"] = "an error unless latencies were noted",
        ["memory|doctor"] = "an administrator's, and looks at the whole process",
        ["memory|malloc-stats"] = "the allocator's own text, which differs",
        ["memory|purge"] = "an administrator's, and visits all free memory",
        ["migrate"] = "needs a second server",
        ["module|load"] = "there are no modules",
        ["module|loadex"] = "there are no modules",
        ["module|unload"] = "there are no modules",
        ["monitor"] = "has no reply of its own",
        ["object|freq"] = "only under an LFU policy; as OBJECT IDLETIME",
        ["pfdebug"] = "a tool of tests",
        ["pfselftest"] = "a tool of tests",
        ["psync"] = "a replica's; see the suite replication",
        ["quit"] = "ends the load's own connections",
        ["readonly"] = "an error outside a cluster",
        ["readwrite"] = "an error outside a cluster",
        ["replconf"] = "a replica's; see the suite replication",
        ["replicaof"] = "an administrator's, once; see the suite replication",
        ["restore-asking"] = "an error outside a cluster",
        ["save"] = "writes a file; see the suite files",
        ["script|debug"] = "holds the connection for a debugger",
        ["script|kill"] = "an error unless a script runs",
        ["shutdown"] = "ends the server",
        ["slaveof"] = "as REPLICAOF",
        ["sync"] = "a replica's; see the suite replication",
    };
}

namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>What belongs to a connection: messages, transactions, the connection itself.</summary>
internal static class SessionLoads
{
    /// <summary>Channels without a listener that stays; the suite <c>special</c> has those.</summary>
    public static CommandFamily Messages { get; } = new([],
        [
            new("publish", "PUBLISH channel __data__"),
            new("spublish", "SPUBLISH channel __data__"),
            new("subscribe", "SUBSCRIBE channel", "UNSUBSCRIBE channel"),
            new("unsubscribe", "UNSUBSCRIBE channel"),
            new("psubscribe", "PSUBSCRIBE chan*", "PUNSUBSCRIBE chan*"),
            new("punsubscribe", "PUNSUBSCRIBE chan*"),
            new("ssubscribe", "SSUBSCRIBE channel", "SUNSUBSCRIBE channel"),
            new("sunsubscribe", "SUNSUBSCRIBE channel"),
            new("pubsub|channels", "PUBSUB CHANNELS"),
            new("pubsub|numsub", "PUBSUB NUMSUB channel"),
            new("pubsub|numpat", "PUBSUB NUMPAT"),
            new("pubsub|shardchannels", "PUBSUB SHARDCHANNELS"),
            new("pubsub|shardnumsub", "PUBSUB SHARDNUMSUB channel"),
        ]);

    /// <summary>Transactions.</summary>
    public static CommandFamily Transactions { get; } = new(
        ["SET __key__ __data__"],
        [
            new("multi", "MULTI", "EXEC"),
            new("exec", "MULTI", "GET __key__", "SET __key__ __data__", "EXEC"),
            new("discard", "MULTI", "GET __key__", "DISCARD"),
            new("watch", "WATCH __key__", "UNWATCH"),
            new("unwatch", "UNWATCH"),
        ]);

    /// <summary>Connections.</summary>
    public static CommandFamily Connections { get; } = new([],
        [
            new("ping", "PING"),
            new("echo", "ECHO __data__"),
            new("auth", "AUTH default any"),
            new("hello", "HELLO 2"),
            new("reset", "RESET"),
            new("client|id", "CLIENT ID"),
            new("client|info", "CLIENT INFO"),
            new("client|list", "CLIENT LIST"),
            new("client|getname", "CLIENT GETNAME"),
            new("client|setname", "CLIENT SETNAME bench"),
            new("client|setinfo", "CLIENT SETINFO LIB-NAME bench"),
            new("client|capa", "CLIENT CAPA redirect"),
            new("client|reply", "CLIENT REPLY ON"),
            new("client|no-evict", "CLIENT NO-EVICT OFF"),
            new("client|no-touch", "CLIENT NO-TOUCH OFF"),
            new("client|unblock", "CLIENT UNBLOCK 999999999"),
            new("client|unpause", "CLIENT UNPAUSE"),
            new("client|tracking", "CLIENT TRACKING OFF"),
            new("client|trackinginfo", "CLIENT TRACKINGINFO"),
            new("client|caching", "HELLO 3", "CLIENT TRACKING ON OPTIN", "CLIENT CACHING YES",
                "CLIENT TRACKING OFF", "HELLO 2"),
        ]);
}

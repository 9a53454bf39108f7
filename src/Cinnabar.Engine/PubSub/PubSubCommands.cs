using System;
using System.Collections.Generic;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Server;

namespace Cinnabar.Engine.PubSub;

/// <summary>PUBLISH, and PUBSUB with its subcommands.</summary>
internal static class PubSubCommands
{
    /// <summary>PUBLISH channel message. A publisher that listens itself gets the message behind its
    /// reply.</summary>
    public static void Publish(SessionExecution execution)
    {
        long count = execution.Engine.Channels.Publish(
            execution.Argument(1), execution.Argument(2), execution.Session, out bool reachesPublisher);
        execution.Reply.Integer(count);
        if (reachesPublisher)
            execution.Session.HasOwnMessages = true;
    }

    /// <summary>PUBSUB CHANNELS [pattern]</summary>
    public static void Channels(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
        {
            SubcommandError.Reply(execution);
            return;
        }

        byte[]? pattern = execution.ArgumentCount == 3 ? execution.Argument(2).ToArray() : null;
        List<byte[]> names = execution.Engine.Channels.Channels(pattern);
        execution.Reply.ArrayHeader(names.Count);
        foreach (byte[] name in names)
            execution.Reply.Bulk(name);
    }

    /// <summary>PUBSUB NUMSUB [channel ...]</summary>
    public static void NumSub(SessionExecution execution)
    {
        execution.Reply.ArrayHeader(2L * (execution.ArgumentCount - 2));
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> name = execution.Argument(index);
            execution.Reply.Bulk(name);
            execution.Reply.Integer(execution.Engine.Channels.CountOf(name));
        }
    }

    /// <summary>PUBSUB NUMPAT</summary>
    public static void NumPat(SessionExecution execution) =>
        execution.Reply.Integer(execution.Engine.Channels.PatternCount);

    /// <summary>PUBSUB SHARDCHANNELS [pattern]: a server in no cluster has no shard channels.</summary>
    public static void ShardChannels(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
            SubcommandError.Reply(execution);
        else
            execution.Reply.ArrayHeader(0);
    }

    /// <summary>PUBSUB SHARDNUMSUB [shardchannel ...]</summary>
    public static void ShardNumSub(SessionExecution execution)
    {
        execution.Reply.ArrayHeader(2L * (execution.ArgumentCount - 2));
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            execution.Reply.Bulk(execution.Argument(index));
            execution.Reply.Integer(0);
        }
    }

    /// <summary>PUBSUB HELP</summary>
    public static void Help(SessionExecution execution)
    {
        ReadOnlySpan<string> lines =
        [
            "CHANNELS [<pattern>]",
            "    The channels that somebody has subscribed to, all or those that match.",
            "NUMPAT",
            "    The number of patterns that somebody has subscribed to.",
            "NUMSUB [<channel> ...]",
            "    The number of subscribers of each channel, not counting patterns.",
            "SHARDCHANNELS [<pattern>]",
            "    As CHANNELS, for shard channels.",
            "SHARDNUMSUB [<shardchannel> ...]",
            "    As NUMSUB, for shard channels.",
        ];
        HelpReply.Write(ref execution.Reply, "PUBSUB", lines);
    }
}

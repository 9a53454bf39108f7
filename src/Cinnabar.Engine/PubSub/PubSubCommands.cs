using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Replies;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.PubSub;

/// <summary>PUBLISH, SPUBLISH, and PUBSUB with its subcommands.</summary>
internal static class PubSubCommands
{
    /// <summary>PUBLISH channel message. A publisher that is subscribed gets the message behind its
    /// reply.</summary>
    public static Outcome Publish(SessionExecution execution) =>
        Publish(execution, execution.Engine.Channels);

    /// <summary>SPUBLISH shardchannel message</summary>
    public static Outcome SPublish(SessionExecution execution) =>
        Publish(execution, execution.Engine.ShardChannels);

    /// <summary>PUBSUB CHANNELS [pattern]</summary>
    public static void Channels(SessionExecution execution) => Names(execution, execution.Engine.Channels);

    /// <summary>PUBSUB NUMSUB [channel ...]</summary>
    public static void NumSub(SessionExecution execution) => Counts(execution, execution.Engine.Channels);

    /// <summary>PUBSUB NUMPAT</summary>
    public static void NumPat(SessionExecution execution) =>
        execution.Reply.Integer(execution.Engine.Channels.PatternCount);

    /// <summary>PUBSUB SHARDCHANNELS [pattern]</summary>
    public static void ShardChannels(SessionExecution execution) =>
        Names(execution, execution.Engine.ShardChannels);

    /// <summary>PUBSUB SHARDNUMSUB [shardchannel ...]</summary>
    public static void ShardNumSub(SessionExecution execution) =>
        Counts(execution, execution.Engine.ShardChannels);

    private static Outcome Publish(SessionExecution execution, ChannelRegistry channels)
    {
        long count = channels.Publish(
            execution.Argument(1), execution.Argument(2), execution.Session, out bool reachesPublisher);
        bool isOfShard = channels == execution.Engine.ShardChannels;
        if (execution.Effects.HasReplicas)
            execution.Effects.AddForReplicas(
                execution.Arguments, isOfShard ? CommandLevel.Redis70 : CommandLevel.Redis62);
        if (reachesPublisher)
            execution.Session.HasOwnMessages = true;
        else if (count > 0 && execution.CanWait && FindFarBehind(execution) is { } loop)
            return AnswerWhenDelivered(execution, loop, count);
        execution.Reply.Integer(count);
        return Outcome.Done;
    }

    // A publisher waits for a loop that cannot keep up: otherwise the loop's subscribers would get a long
    // backlog at once, and be closed for output that their peers had no time to read.
    private static Loop? FindFarBehind(SessionExecution execution)
    {
        foreach (Loop loop in execution.Engine.Loops)
        {
            if (loop.IsFarBehind && loop != execution.Loop)
                return loop;
        }

        return null;
    }

    private static Outcome AnswerWhenDelivered(SessionExecution execution, Loop loop, long count)
    {
        Outcome outcome = execution.Block(
            long.MaxValue, waiter => waiter.Reply.Integer(count), isForLoops: true);
        (Waiter publisher, IExecutionLoop own) = (execution.Waiter!, execution.Loop);
        // Behind the messages. The publisher's loop finds it waiting: it reads its mail in a later turn.
        loop.Run(() => own.Run(() => own.EndWait(publisher)));
        return outcome;
    }

    private static void Names(SessionExecution execution, ChannelRegistry channels)
    {
        if (execution.ArgumentCount > 3)
        {
            SubcommandError.Reply(execution);
            return;
        }

        byte[]? pattern = execution.ArgumentCount == 3 ? execution.Argument(2).ToArray() : null;
        List<byte[]> names = channels.Channels(pattern);
        execution.Reply.ArrayHeader(names.Count);
        foreach (byte[] name in names)
            execution.Reply.Bulk(name);
    }

    private static void Counts(SessionExecution execution, ChannelRegistry channels)
    {
        execution.Reply.ArrayHeader(2L * (execution.ArgumentCount - 2));
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> name = execution.Argument(index);
            execution.Reply.Bulk(name);
            execution.Reply.Integer(channels.CountOf(name));
        }
    }
}

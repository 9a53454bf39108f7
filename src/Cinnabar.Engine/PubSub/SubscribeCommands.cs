using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.PubSub;

/// <summary>
/// SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE, PUNSUBSCRIBE, SSUBSCRIBE, SUNSUBSCRIBE. Each name is confirmed by a
/// push of its own, with the number of channels and patterns, or of shard channels, that the session then
/// has.
/// </summary>
internal static class SubscribeCommands
{
    /// <summary>SUBSCRIBE channel [channel ...]</summary>
    public static void Subscribe(SessionExecution execution) =>
        Enter(execution, SetOf(execution.Session).Channels, SubscriptionWords.Channels);

    /// <summary>PSUBSCRIBE pattern [pattern ...]</summary>
    public static void PSubscribe(SessionExecution execution) =>
        Enter(execution, SetOf(execution.Session).Patterns, SubscriptionWords.Patterns);

    /// <summary>UNSUBSCRIBE [channel ...]</summary>
    public static void Unsubscribe(SessionExecution execution) =>
        Leave(execution, execution.Session.Subscriptions?.Channels, SubscriptionWords.Channels);

    /// <summary>PUNSUBSCRIBE [pattern ...]</summary>
    public static void PUnsubscribe(SessionExecution execution) =>
        Leave(execution, execution.Session.Subscriptions?.Patterns, SubscriptionWords.Patterns);

    /// <summary>SSUBSCRIBE shardchannel [shardchannel ...]. Redis has it in no transaction, unlike the
    /// others.</summary>
    public static void SSubscribe(SessionExecution execution)
    {
        if (execution.Place == ExecutionPlace.Nested)
            execution.Reply.Error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"u8);
        else
            Enter(execution, SetOf(execution.Session).ShardChannels, SubscriptionWords.ShardChannels);
    }

    /// <summary>SUNSUBSCRIBE [shardchannel ...]</summary>
    public static void SUnsubscribe(SessionExecution execution) =>
        Leave(execution, execution.Session.Subscriptions?.ShardChannels, SubscriptionWords.ShardChannels);

    private static void Enter(
        SessionExecution execution, Dictionary<byte[], Subscription> own, SubscriptionWords words)
    {
        ChannelRegistry all = RegistryOf(execution, words);
        var reply = new SubscriptionReply(execution, words);
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> name = execution.Argument(index);
            if (!own.GetAlternateLookup<ReadOnlySpan<byte>>().ContainsKey(name))
            {
                Subscription added = words.IsPattern
                    ? all.SubscribePattern(execution.Session, name)
                    : all.Subscribe(execution.Session, name);
                own.Add(added.Name, added);
                execution.Session.AddRecordBytes(ChannelRegistry.BytesOf(name));
            }

            reply.Confirm(words.Entered, name);
        }

        End(execution.Session, in reply);
    }

    private static void Leave(
        SessionExecution execution, Dictionary<byte[], Subscription>? own, SubscriptionWords words)
    {
        ChannelRegistry all = RegistryOf(execution, words);
        var reply = new SubscriptionReply(execution, words);
        foreach (byte[] name in NamesToLeave(execution, own))
        {
            if (own is not null && own.Remove(name, out Subscription? subscription))
            {
                if (words.IsPattern)
                    all.UnsubscribePattern(subscription);
                else
                    all.Unsubscribe(subscription);
                execution.Session.AddRecordBytes(-ChannelRegistry.BytesOf(name));
                ShowLast(execution, subscription);
            }

            reply.Confirm(words.Left, name);
        }

        if (reply.IsEmpty)
            reply.ConfirmNone();
        End(execution.Session, in reply);
    }

    private static ChannelRegistry RegistryOf(SessionExecution execution, SubscriptionWords words) =>
        words.IsSharded ? execution.Engine.ShardChannels : execution.Engine.Channels;

    private static SubscriptionSet SetOf(Session session)
    {
        session.ChangeFlags(SessionFlags.Subscribed, SessionFlags.None);
        return session.Subscriptions ??= new SubscriptionSet();
    }

    private static byte[][] NamesToLeave(SessionExecution execution, Dictionary<byte[], Subscription>? all)
    {
        if (execution.ArgumentCount == 1)
            return all is null ? [] : [.. all.Keys];
        var names = new byte[execution.ArgumentCount - 1][];
        for (int index = 0; index < names.Length; index++)
            names[index] = execution.Argument(index + 1).ToArray();
        return names;
    }

    // Messages published before the subscription ended go before the confirmation; not in a transaction,
    // where they would go between its replies.
    private static void ShowLast(SessionExecution execution, Subscription subscription)
    {
        if (execution.Place != ExecutionPlace.Nested)
            ((Loop)execution.Loop).DeliverPublished(execution.Session);
        subscription.End();
    }

    private static void End(Session session, in SubscriptionReply reply)
    {
        reply.End();
        if (session.Subscriptions is { IsEmpty: true })
        {
            session.Subscriptions = null;
            session.ChangeFlags(SessionFlags.None, SessionFlags.Subscribed);
        }

        Debug.Assert((session.Subscriptions is null) == ((session.Flags & SessionFlags.Subscribed) == 0),
            "a session has subscriptions or is not subscribed");
    }
}

using System;
using System.Collections.Generic;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.PubSub;

/// <summary>
/// SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE, PUNSUBSCRIBE. Each name is confirmed by a push of its own, with the
/// number of channels and patterns that the session then has.
/// </summary>
internal static class SubscribeCommands
{
    /// <summary>SUBSCRIBE channel [channel ...]</summary>
    public static void Subscribe(SessionExecution execution)
    {
        SubscriptionSet set = SetOf(execution.Session);
        var reply = new SubscriptionReply(execution);
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> name = execution.Argument(index);
            if (!set.Channels.GetAlternateLookup<ReadOnlySpan<byte>>().ContainsKey(name))
            {
                Subscription added = execution.Engine.Channels.Subscribe(execution.Session, name);
                set.Channels.Add(added.Name, added);
            }

            reply.Confirm("subscribe"u8, name);
        }

        End(execution.Session, in reply);
    }

    /// <summary>PSUBSCRIBE pattern [pattern ...]</summary>
    public static void PSubscribe(SessionExecution execution)
    {
        SubscriptionSet set = SetOf(execution.Session);
        var reply = new SubscriptionReply(execution);
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> name = execution.Argument(index);
            if (!set.Patterns.GetAlternateLookup<ReadOnlySpan<byte>>().ContainsKey(name))
            {
                Subscription added = execution.Engine.Channels.SubscribePattern(execution.Session, name);
                set.Patterns.Add(added.Name, added);
            }

            reply.Confirm("psubscribe"u8, name);
        }

        End(execution.Session, in reply);
    }

    /// <summary>UNSUBSCRIBE [channel ...]</summary>
    public static void Unsubscribe(SessionExecution execution)
    {
        Dictionary<byte[], Subscription>? channels = execution.Session.Subscriptions?.Channels;
        var reply = new SubscriptionReply(execution);
        foreach (byte[] name in NamesToLeave(execution, channels))
        {
            if (channels is not null && channels.Remove(name, out Subscription? subscription))
            {
                execution.Engine.Channels.Unsubscribe(subscription);
                ShowLast(execution, subscription);
            }

            reply.Confirm("unsubscribe"u8, name);
        }

        if (reply.IsEmpty)
            reply.ConfirmNone("unsubscribe"u8);
        End(execution.Session, in reply);
    }

    /// <summary>PUNSUBSCRIBE [pattern ...]</summary>
    public static void PUnsubscribe(SessionExecution execution)
    {
        Dictionary<byte[], Subscription>? patterns = execution.Session.Subscriptions?.Patterns;
        var reply = new SubscriptionReply(execution);
        foreach (byte[] name in NamesToLeave(execution, patterns))
        {
            if (patterns is not null && patterns.Remove(name, out Subscription? subscription))
            {
                execution.Engine.Channels.UnsubscribePattern(subscription);
                ShowLast(execution, subscription);
            }

            reply.Confirm("punsubscribe"u8, name);
        }

        if (reply.IsEmpty)
            reply.ConfirmNone("punsubscribe"u8);
        End(execution.Session, in reply);
    }

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

    // What was published before the subscription ended is shown before the confirmation. Within a transaction
    // it is not: it would stand between the transaction's replies.
    private static void ShowLast(SessionExecution execution, Subscription subscription)
    {
        if (!execution.MustFinishHere)
            execution.Loop.DeliverPublished(execution.Session);
        subscription.End();
    }

    private static void End(Session session, in SubscriptionReply reply)
    {
        reply.End();
        if (session.Subscriptions is { Count: 0 })
        {
            session.Subscriptions = null;
            session.ChangeFlags(SessionFlags.None, SessionFlags.Subscribed);
        }
    }
}

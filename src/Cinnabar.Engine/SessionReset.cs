using Cinnabar.Engine.Sessions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine;

/// <summary>Ends what a session has begun beside its commands.</summary>
internal static class SessionReset
{
    /// <summary>Ends a session's subscriptions, monitoring and tracking.</summary>
    public static void Run(ServerEngine engine, Session session)
    {
        if ((session.Flags & SessionFlags.Monitor) != 0)
            engine.Monitors.Remove(session);
        engine.Tracking.Disable(session);
        if (session.Subscriptions is not { } subscriptions)
            return;
        session.AddRecordBytes(-BytesOf(subscriptions));
        engine.Channels.UnsubscribeAll(subscriptions.Channels);
        engine.Channels.UnsubscribeAllPatterns(subscriptions.Patterns);
        engine.ShardChannels.UnsubscribeAll(subscriptions.ShardChannels);
        session.Subscriptions = null;
        session.ChangeFlags(SessionFlags.None, SessionFlags.Subscribed);
    }

    private static long BytesOf(SubscriptionSet subscriptions)
    {
        long bytes = 0;
        foreach (Dictionary<byte[], Subscription> names in
            (ReadOnlySpan<Dictionary<byte[], Subscription>>)
            [subscriptions.Channels, subscriptions.Patterns, subscriptions.ShardChannels])
        {
            foreach (byte[] name in names.Keys)
                bytes += ChannelRegistry.BytesOf(name);
        }

        return bytes;
    }
}

// Publishes what HandlerCall.Commit makes visible: two messages an event, each on its channel.
//
//   __keyspace@<database>__:<key>    the name of the event        (class K)
//   __keyevent@<database>__:<event>  the key                      (class E)
//
// They are enqueued in the loops' mailboxes under the locks of the execution that caused them, so a
// subscriber gets the events of a key in the order of its changes.
//
// Events are made only while notify-keyspace-events asks for some and a channel or pattern that could match
// has a subscriber: then the stripes report their changes (StripeInterests.Events). Without a subscriber a
// command costs what it costs without events. A subscription is in force when its confirmation is sent.

using System.Buffers;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.Events;

/// <summary>Publishes the events of keys.</summary>
internal sealed class KeyspaceEventPublisher
{
    private const int StackBytesMax = 512;
    private const int DigitCountMax = 11;
    private const KeyspaceEvents Channels = KeyspaceEvents.Keyspace | KeyspaceEvents.Keyevent;

    private readonly Settings _settings;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly ChannelRegistry _channels;
    private readonly Lock _switching = new();

    /// <summary>Follows the configuration and the subscriptions of a server.</summary>
    public KeyspaceEventPublisher(
        ConfigurationRegistry configuration, Keyspace.Keyspace keyspace, ChannelRegistry channels)
    {
        (_settings, _keyspace, _channels) = (configuration.Settings, keyspace, channels);
        channels.EventListenersChanged = Switch;
        configuration.Follow("notify-keyspace-events", Switch);
    }

    /// <summary>Publishes an event; its stripe is locked.</summary>
    public void Publish(KeyspaceAccess access, int database, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        KeyspaceEvents events = _settings.KeyspaceEvents;
        if (access.IsSilent || (KeyEventNames.ClassOf(keyEvent) & events) == 0)
            return;
        ReadOnlySpan<byte> name = KeyEventNames.NameOf(keyEvent);
        var execution = access.Owner as SessionExecution;
        if ((events & KeyspaceEvents.Keyspace) != 0)
            Publish(execution, "__keyspace@"u8, database, channelEnd: key, message: name);
        if ((events & KeyspaceEvents.Keyevent) != 0)
            Publish(execution, "__keyevent@"u8, database, channelEnd: name, message: key);
    }

    private void Publish(SessionExecution? execution, ReadOnlySpan<byte> head, int database,
        ReadOnlySpan<byte> channelEnd, ReadOnlySpan<byte> message)
    {
        int lengthMax = head.Length + DigitCountMax + 3 + channelEnd.Length;
        byte[]? rented = lengthMax <= StackBytesMax ? null : ArrayPool<byte>.Shared.Rent(lengthMax);
        Span<byte> channel = rented is null ? stackalloc byte[StackBytesMax] : rented;
        head.CopyTo(channel);
        int length = head.Length;
        length += RedisNumber.FormatInt64(database, channel[length..]);
        "__:"u8.CopyTo(channel[length..]);
        length += 3;
        channelEnd.CopyTo(channel[length..]);
        length += channelEnd.Length;
        // A client that is served gets its reply from another thread, behind what is enqueued here.
        Sessions.Session? publisher = execution is { ServedBy: null } ? execution.Session : null;
        _channels.Publish(channel[..length], message, publisher, out bool reachesPublisher);
        if (reachesPublisher)
            publisher!.HasOwnMessages = true;
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
    }

    private void Switch()
    {
        lock (_switching)
        {
            KeyspaceEvents events = _settings.KeyspaceEvents;
            bool isOn = (events & Channels) != 0 && (events & ~Channels) != 0 && _channels.HasEventListeners;
            ReportedEvents reported = ReportedEvents.None;
            if (isOn && (events & KeyspaceEvents.KeyMiss) != 0)
                reported |= ReportedEvents.Misses;
            if (isOn && (events & KeyspaceEvents.New) != 0)
                reported |= ReportedEvents.NewKeys;
            if (isOn && (events & (KeyspaceEvents.Overwritten | KeyspaceEvents.TypeChanged)) != 0)
                reported |= ReportedEvents.Replacements;
            _keyspace.ReportedEvents = reported;
            foreach (Stripe stripe in _keyspace.Stripes)
                stripe.SetInterest(StripeInterests.Events, isOn);
        }
    }
}

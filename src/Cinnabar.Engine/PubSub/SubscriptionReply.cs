using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.PubSub;

/// <summary>Confirmations of subscriptions: pushes, which CLIENT REPLY OFF and SKIP do not silence.</summary>
internal ref struct SubscriptionReply
{
    private readonly SessionExecution _execution;
    private readonly SubscriptionWords _words;
    private readonly DiscardSink? _discard;

    /// <summary>Begins the confirmations of a command.</summary>
    public SubscriptionReply(SessionExecution execution, SubscriptionWords words)
    {
        _execution = execution;
        _words = words;
        if (!execution.Reply.IsMuted)
            return;
        _discard = (DiscardSink)execution.Reply.Sink;
        execution.Reply.Unmute();
    }

    private readonly int Count => _execution.Session.Subscriptions is not { } all ? 0
        : _words.IsSharded ? all.ShardChannels.Count : all.Count;

    /// <summary>Whether nothing has been confirmed.</summary>
    public bool IsEmpty { get; private set; } = true;

    /// <summary>Confirms a channel or pattern.</summary>
    public void Confirm(ReadOnlySpan<byte> kind, ReadOnlySpan<byte> name)
    {
        IsEmpty = false;
        _execution.Reply.PushHeader(3);
        _execution.Reply.Bulk(kind);
        _execution.Reply.Bulk(name);
        _execution.Reply.Integer(Count);
    }

    /// <summary>Confirms that there was no subscription to end.</summary>
    public readonly void ConfirmNone()
    {
        _execution.Reply.PushHeader(3);
        _execution.Reply.Bulk(_words.Left);
        _execution.Reply.Null();
        _execution.Reply.Integer(Count);
    }

    /// <summary>Ends the confirmations: the replies of a silenced session are silenced again.</summary>
    public readonly void End()
    {
        if (_discard is not null)
            _execution.Reply.Mute(_discard);
    }
}

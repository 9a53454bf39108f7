using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine.Mail;
using Cinnabar.Memory;
using Cinnabar.Messaging;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

public sealed class MailboxTests
{
    private readonly Mailbox _mailbox = new();
    private readonly List<MailboxMessage> _found = [];

    /// <summary>A message is not checked twice for one subscriber, and none is missed.</summary>
    [Fact]
    public void ARepeatedCallChecksOnlyNewerMessages()
    {
        using var server = new TestServer();
        Subscription one = server.Engine.Channels.Subscribe(new NullSubscriber(), "channel"u8);
        Subscription other = server.Engine.Channels.Subscribe(new NullSubscriber(), "channel"u8);
        for (int count = 1; count <= 100; count++)
            Post(count % 2 == 0 ? one : other, count);
        Assert.Equal(Enumerable.Range(1, 50).Select(static half => 2 * half), Take(one));
        for (int again = 0; again < 50; again++)
            Assert.Empty(Take(one));
        Assert.Equal(100, _mailbox.LookedAtCount);
        Post(other, 101);
        Post(one, 102);
        Assert.Equal([102], Take(one));
        Assert.Equal(102, _mailbox.LookedAtCount);
        // For another one from the first on, and so after the loop has taken all.
        Assert.Equal(51, Take(other).Count);
        Assert.Equal(102, _mailbox.Take().Length);
        Post(other, 103);
        Post(other, 104);
        Assert.Equal([103, 104], Take(other));
        server.Engine.Channels.Unsubscribe(one);
        server.Engine.Channels.Unsubscribe(other);
    }

    /// <summary>Only the start of a turn knows what to do with other messages.</summary>
    [Fact]
    public void PublishedMessagesAreTakenAloneOnlyWhileNoOthersWait()
    {
        using var server = new TestServer();
        Subscription one = server.Engine.Channels.Subscribe(new NullSubscriber(), "channel"u8);
        Post(one, 1);
        Post(one, 2);
        Assert.Equal(2, _mailbox.TakeIfPublished().Length);
        Assert.Equal(0, _mailbox.TakeIfPublished().Length);
        Post(one, 3);
        _mailbox.Post(new MailboxMessage { Kind = MailboxMessageKind.Run });
        Assert.Equal(0, _mailbox.TakeIfPublished().Length);
        Assert.Equal(2, _mailbox.Take().Length);
        Post(one, 4);
        Assert.Equal(4, Assert.Single(_mailbox.TakeIfPublished().ToArray()).Length);
        server.Engine.Channels.Unsubscribe(one);
    }

    [Fact]
    public void WhatATurnPublishesIsSentAtItsEnd()
    {
        using var server = new TestServer();
        TestClient subscriber = server.Connect();
        subscriber.Call("SUBSCRIBE", "channel");
        TestClient publisher = server.Connect();
        publisher.Send("PUBLISH", "channel", "one");
        publisher.Send("PUBLISH", "channel", "two");
        server.TurnLoop(0);
        Assert.Equal(2, publisher.Take().Count);
        Assert.Equal(2, subscriber.Take().Count);
    }

    private void Post(Subscription subscription, int length) => _mailbox.Post(new MailboxMessage
    {
        Kind = MailboxMessageKind.Publish,
        Target = subscription,
        Length = length,
    });

    private List<int> Take(Subscription subscription)
    {
        _found.Clear();
        _mailbox.TakePublished(subscription.Subscriber, _found);
        return [.. _found.Select(static message => message.Length)];
    }

    private sealed class NullSubscriber : ISubscriber
    {
        public unsafe bool TryDeliver(Subscription subscription, SharedBlock* message, int length) => false;
    }
}

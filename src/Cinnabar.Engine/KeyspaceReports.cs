using Cinnabar.Engine.Events;

namespace Cinnabar.Engine;

/// <summary>Hands what happens in the key space to those who need it: loops, watches, waiting clients,
/// subscribers of events, clients that cache values.</summary>
internal sealed class KeyspaceReports(ServerEngine engine) : IKeyspaceObserver
{
    private readonly KeyspaceEventPublisher _events =
        new(engine.Configuration, engine.Keyspace, engine.Channels);

    /// <inheritdoc/>
    public void DeadlineAdvanced(Stripe stripe, long deadlineMs) =>
        engine.Loops[stripe.Index % engine.LoopCount].DeadlineAdvanced(deadlineMs);

    /// <inheritdoc/>
    public void Changed(KeyspaceAccess access, Stripe stripe, int database, ReadOnlySpan<byte> key,
        KeyEvent keyEvent)
    {
        StripeInterests interests = stripe.Interests;
        if (keyEvent < KeyEvent.New)
        {
            if ((interests & StripeInterests.Watches) != 0)
                engine.Watches.Touch(stripe, database, key, keyEvent);
            if (stripe.HasWaiters)
                engine.Waits.Touch(access, stripe, database, key);
        }

        if ((interests & StripeInterests.Prefixes) != 0)
            engine.Tracking.Collect(access, key, keyEvent);
        if ((interests & StripeInterests.Events) != 0)
            _events.Publish(access, database, key, keyEvent);
    }

    /// <inheritdoc/>
    public void Invalidated(
        KeyspaceAccess access, Stripe stripe, ReadOnlySpan<byte> key, KeyEvent keyEvent) =>
        engine.Tracking.Invalidated(access, stripe, key, keyEvent);

    /// <inheritdoc/>
    public void Committed(KeyspaceAccess access) => engine.Tracking.Committed(access);

    /// <inheritdoc/>
    public void DatabaseChanging(KeyspaceAccess access, int database, int other)
    {
        engine.Tracking.InvalidateAll(forgetsKeys: database == other);
        engine.Watches.TouchDatabase(access, database, other);
        engine.Waits.TouchDatabase(access, database, other);
    }
}

namespace Cinnabar.Engine;

/// <summary>Hands what happens in the key space to those who need it: loops, watches, waiting clients,
/// subscribers of events.</summary>
internal sealed class KeyspaceReports(ServerEngine engine) : IKeyspaceObserver
{
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

        if ((interests & StripeInterests.Events) != 0)
            engine.Events.Publish(access, database, key, keyEvent);
    }

    /// <inheritdoc/>
    public void DatabaseChanging(KeyspaceAccess access, int database, int other)
    {
        engine.Watches.TouchDatabase(access, database, other);
        engine.Waits.TouchDatabase(access, database, other);
    }
}

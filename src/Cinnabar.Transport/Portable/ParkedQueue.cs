namespace Cinnabar.Transport.Portable;

/// <summary>
/// Parked connections that have something to read, on their way from the runtime's threads to the loop: a
/// linked stack that many push and one takes whole. The links are fields of the receives, so nothing is
/// allocated.
/// </summary>
/// <param name="wakeUp">Wakes the loop.</param>
internal sealed class ParkedQueue(WakeUpSocket wakeUp)
{
    private readonly WakeUpSocket _wakeUp = wakeUp;
    private ParkedReceive? _last;

    /// <summary>Adds a receive that has ended. From any thread.</summary>
    // ORDER: the link is written before the exchange, a full fence, publishes the receive.
    public void Post(ParkedReceive receive)
    {
        ParkedReceive? earlier = Volatile.Read(ref _last);
        while (true)
        {
            receive.Earlier = earlier;
            ParkedReceive? seen = Interlocked.CompareExchange(ref _last, receive, earlier);
            if (seen == earlier)
                break;
            earlier = seen;
        }

        // A thread that finds the queue empty wakes the loop, which looks here after each wait.
        if (earlier is null)
            _wakeUp.Signal();
    }

    /// <summary>Takes all receives, the last first.</summary>
    public ParkedReceive? Take() =>
        Volatile.Read(ref _last) is null ? null : Interlocked.Exchange(ref _last, null);
}

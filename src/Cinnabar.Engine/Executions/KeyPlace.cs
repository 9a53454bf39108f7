namespace Cinnabar.Engine.Executions;

/// <summary>A waiter's place in the queue of one of its keys; guarded by the queue's stripe of
/// <see cref="KeyWaits"/>.</summary>
internal sealed class KeyPlace
{
    /// <summary>Makes a place.</summary>
    public KeyPlace(Waiter waiter, KeyQueue queue, long number)
    {
        Waiter = waiter;
        Queue = queue;
        Number = number;
    }

    /// <summary>Its waiter.</summary>
    public Waiter Waiter { get; }

    /// <summary>The queue.</summary>
    public KeyQueue Queue { get; }

    /// <summary>Ascending along the queue.</summary>
    public long Number { get; }

    /// <summary>Whether it is in the queue (still).</summary>
    public bool IsLinked { get; set; }

    /// <summary>The place before.</summary>
    public KeyPlace? Previous { get; set; }

    /// <summary>The place behind.</summary>
    public KeyPlace? Next { get; set; }
}

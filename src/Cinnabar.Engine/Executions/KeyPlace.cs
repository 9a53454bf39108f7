namespace Cinnabar.Engine.Executions;

/// <summary>A waiter's place in the queue of one of its keys; guarded by the queue's stripe of
/// <see cref="KeyWaits"/>.</summary>
internal sealed class KeyPlace(Waiter waiter, KeyQueue queue, long number)
{
    public Waiter Waiter { get; } = waiter;

    public KeyQueue Queue { get; } = queue;

    /// <summary>Ascending along the queue.</summary>
    public long Number { get; } = number;

    /// <summary>Whether it is in the queue (still).</summary>
    public bool IsLinked { get; set; }

    /// <summary>The place before.</summary>
    public KeyPlace? Previous { get; set; }

    /// <summary>The place behind.</summary>
    public KeyPlace? Next { get; set; }
}

namespace Cinnabar.Commands;

/// <summary>
/// What a call of a handler came to. A handler that returns nothing is always <see cref="Done"/>. Any other
/// outcome says that the command goes on, elsewhere or later: the handler has replied nothing and changed
/// nothing, except that with <see cref="NextStripe"/> it may have begun its reply, and with
/// <see cref="Wait"/> it may have made a change (FLUSHALL's flush, the consumer of XREADGROUP).
/// </summary>
public readonly struct Outcome
{
    private const int StripeShift = 8;

    private readonly int _code;

    private Outcome(OutcomeKind kind, int stripe = 0) => _code = (int)kind | (stripe << StripeShift);

    /// <summary>The command is over and has replied.</summary>
    public static Outcome Done => default;

    /// <summary>To be called again off the loop, with its keys.</summary>
    public static Outcome OffLoop => new(OutcomeKind.OffLoop);

    /// <summary>To be called again off the loop, without its keys: it only reads, and what it reads is
    /// kept (<see cref="Execution.TryFindKept"/>).</summary>
    public static Outcome OffLoopWithoutKeys => new(OutcomeKind.OffLoopWithoutKeys);

    /// <summary>The rest is made in steps, off the loop; the handler is not called again
    /// (<see cref="Execution.StoreLater"/>).</summary>
    public static Outcome Store => new(OutcomeKind.Store);

    /// <summary>The chosen stripes do not have what it looks for: to be called again with all.</summary>
    public static Outcome AllStripes => new(OutcomeKind.AllStripes);

    /// <summary>To be called again when a key is ready, or when a time has come
    /// (<see cref="Execution.WaitForKeys"/>).</summary>
    public static Outcome Wait => new(OutcomeKind.Wait);

    /// <summary>Which of them it is.</summary>
    public OutcomeKind Kind => (OutcomeKind)(byte)_code;

    /// <summary>Whether the command is over.</summary>
    public bool IsDone => _code == 0;

    /// <summary>Whether the command leaves its loop.</summary>
    public bool IsOffLoop =>
        Kind is OutcomeKind.OffLoop or OutcomeKind.OffLoopWithoutKeys or OutcomeKind.Store;

    /// <summary>The stripe that a <see cref="NextStripe"/> names.</summary>
    public int Stripe
    {
        get
        {
            Debug.Assert(Kind == OutcomeKind.NextStripe, "only a walk names a stripe");
            return _code >> StripeShift;
        }
    }

    /// <summary>To be called again, holding this stripe alone, for a short time. Only off the loop.</summary>
    public static Outcome NextStripe(int stripe)
    {
        Debug.Assert(stripe >= 0, "the walk is over");
        return new Outcome(OutcomeKind.NextStripe, stripe);
    }
}

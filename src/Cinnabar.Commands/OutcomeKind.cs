namespace Cinnabar.Commands;

/// <summary>The kinds of <see cref="Outcome"/>.</summary>
public enum OutcomeKind : byte
{
    /// <summary><see cref="Outcome.Done"/>.</summary>
    Done,

    /// <summary><see cref="Outcome.OffLoop"/>.</summary>
    OffLoop,

    /// <summary><see cref="Outcome.OffLoopWithoutKeys"/>.</summary>
    OffLoopWithoutKeys,

    /// <summary><see cref="Outcome.Store"/>.</summary>
    Store,

    /// <summary><see cref="Outcome.AllStripes"/>.</summary>
    AllStripes,

    /// <summary><see cref="Outcome.NextStripe"/>.</summary>
    NextStripe,

    /// <summary><see cref="Outcome.Wait"/>.</summary>
    Wait,
}

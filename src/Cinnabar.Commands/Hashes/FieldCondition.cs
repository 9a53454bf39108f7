namespace Cinnabar.Commands.Hashes;

/// <summary>The option of HEXPIRE and its kin: what must hold of the deadline that a field has.</summary>
internal readonly record struct FieldCondition
{
    private readonly Kind _kind;

    private FieldCondition(Kind kind) => _kind = kind;

    private enum Kind : byte
    {
        None,
        MustHaveNone,
        MustHaveOne,
        MustGrow,
        MustShrink,
    }

    /// <summary>Whether nothing must hold.</summary>
    public bool IsNone => _kind == Kind.None;

    /// <summary>The condition that an argument names, or none.</summary>
    public static FieldCondition Read(Execution execution, int index)
    {
        if (execution.Is(index, "nx"u8))
            return new FieldCondition(Kind.MustHaveNone);
        if (execution.Is(index, "xx"u8))
            return new FieldCondition(Kind.MustHaveOne);
        if (execution.Is(index, "gt"u8))
            return new FieldCondition(Kind.MustGrow);
        return new FieldCondition(execution.Is(index, "lt"u8) ? Kind.MustShrink : Kind.None);
    }

    /// <summary>Whether a deadline may follow the one the field has (&#8722;1: it has none, which is later
    /// than any).</summary>
    public bool IsMet(long oldMs, long newMs) => _kind switch
    {
        Kind.MustHaveNone => oldMs < 0,
        Kind.MustHaveOne => oldMs >= 0,
        Kind.MustGrow => oldMs >= 0 && newMs > oldMs,
        Kind.MustShrink => oldMs < 0 || newMs < oldMs,
        _ => true,
    };
}

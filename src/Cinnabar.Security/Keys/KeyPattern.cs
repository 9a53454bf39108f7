namespace Cinnabar.Security.Keys;

/// <summary>A pattern of keys and what may be done to them.</summary>
/// <param name="Access">What may be done.</param>
/// <param name="Pattern">The pattern, one char a byte.</param>
public readonly record struct KeyPattern(KeyAccess Access, string Pattern)
{
    /// <summary>The rule: <c>~x</c>, <c>%R~x</c> or <c>%W~x</c>.</summary>
    public override string ToString() => Access switch
    {
        KeyAccess.Read => "%R~" + Pattern,
        KeyAccess.Write => "%W~" + Pattern,
        _ => "~" + Pattern,
    };
}

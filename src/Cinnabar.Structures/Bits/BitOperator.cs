namespace Cinnabar.Structures.Bits;

/// <summary>
/// What BITOP can do. Sources that are shorter than the longest count as continued with zeroes.
/// </summary>
public enum BitOperator
{
    /// <summary>Bits set in all sources.</summary>
    And,

    /// <summary>Bits set in any source.</summary>
    Or,

    /// <summary>Bits set in an odd number of sources.</summary>
    Xor,

    /// <summary>Bits not set in the only source.</summary>
    Not,

    /// <summary>Bits set in the first source and in none of the others.</summary>
    Diff,

    /// <summary>Bits set in any of the others and not in the first source.</summary>
    Diff1,

    /// <summary>Bits set in the first source and in any of the others.</summary>
    AndOr,

    /// <summary>Bits set in exactly one source.</summary>
    One,
}

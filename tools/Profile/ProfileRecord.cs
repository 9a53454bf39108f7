using System.Collections.Generic;

namespace Profile;

/// <summary>One record of a method's profile; the fields are those of dotnet/runtime's PGO schema.</summary>
/// <param name="Kind">What was counted; the low four bits say what the values are.</param>
/// <param name="Offset">The instruction.</param>
/// <param name="Count">How many values there are.</param>
/// <param name="Other">Another instruction, or flags.</param>
/// <param name="Values">The values as they were written: numbers, or names of types and methods.</param>
internal sealed record ProfileRecord(
    int Kind, int Offset, int Count, int Other, IReadOnlyList<string> Values)
{
    private const int ValueMask = 0xF;
    private const int Handles = 3;

    /// <summary>Whether it has values.</summary>
    public static bool HasValues(int kind) => (kind & ValueMask) != 0;

    /// <summary>Whether the values are numbers.</summary>
    public bool IsNumeric => (Kind & ValueMask) < Handles;
}

namespace Cinnabar.Structures.SortedSets;

/// <summary>A member among others whose bytes lie behind each other.</summary>
/// <param name="Score">Its score, which is not NaN.</param>
/// <param name="Place">Where its first byte is.</param>
/// <param name="Length">How many bytes it has.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct PlacedMember(double Score, int Place, int Length);

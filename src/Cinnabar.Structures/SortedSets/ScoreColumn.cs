// The scores of a page lie together, in order. They are all compared, four at a time: no step of that waits
// for the one before, and none is a guess, as the six of a halving are.
using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: the column has as many scores as are given.
/// <summary>Searches in the scores of a page (<see cref="ScoreBits"/>).</summary>
internal static unsafe class ScoreColumn
{
    /// <summary>How many scores of a column are below one.</summary>
    /// <param name="scores">The column.</param>
    /// <param name="count">Its length.</param>
    /// <param name="score">The one.</param>
    /// <param name="equalCount">How many are equal to it: those that come next.</param>
    internal static int CountBelow(ulong* scores, int count, ulong score, out int equalCount)
    {
        Vector256<ulong> sought = Vector256.Create(score);
        // Minus one for each that is found.
        Vector256<ulong> below = Vector256<ulong>.Zero;
        Vector256<ulong> equal = Vector256<ulong>.Zero;
        int done = 0;
        for (; done <= count - Vector256<ulong>.Count; done += Vector256<ulong>.Count)
        {
            Vector256<ulong> some = Vector256.Load(scores + done);
            below += Vector256.LessThan(some, sought);
            equal += Vector256.Equals(some, sought);
        }
        int belowCount = -(int)Vector256.Sum(below);
        equalCount = -(int)Vector256.Sum(equal);
        for (; done < count; done++)
        {
            belowCount += scores[done] < score ? 1 : 0;
            equalCount += scores[done] == score ? 1 : 0;
        }
        return belowCount;
    }
}

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>Arithmetic of scores, which are never NaN.</summary>
public static class Scores
{
    /// <summary>A number, or 0 in place of NaN.</summary>
    public static double NumberOr0(double number) => double.IsNaN(number) ? 0 : number;

    /// <summary>Combines two scores.</summary>
    // Not Math.Min and Math.Max: a weighted score that is not a number must leave the other one.
    public static double Combine(Aggregate aggregate, double score, double other) => aggregate switch
    {
        Aggregate.Min => other < score ? other : score,
        Aggregate.Max => other > score ? other : score,
        _ => NumberOr0(score + other),
    };
}

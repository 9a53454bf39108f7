using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>The middle of some figures, and between which they lie. With three rounds or five there is no
/// honest standard deviation; what lies between the lowest and the highest says what it is.</summary>
/// <param name="Median">The middle one; of an even count, the mean of the two in the middle.</param>
/// <param name="Low">The lowest.</param>
/// <param name="High">The highest.</param>
/// <param name="Count">How many there are.</param>
internal sealed record Spread(double Median, double Low, double High, int Count)
{
    /// <summary>Half the distance from the lowest to the highest, as a part of the median: 0.03 is ± 3 %.
    /// </summary>
    public double Relative => Median == 0 ? 0 : (High - Low) / 2 / Math.Abs(Median);

    /// <summary>The spread of figures; null when there are none.</summary>
    public static Spread? Of(IEnumerable<double> figures)
    {
        double[] sorted = [.. figures.Order()];
        if (sorted.Length == 0) return null;
        double median = (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
        return new Spread(median, sorted[0], sorted[^1], sorted.Length);
    }

    /// <summary>The mean of ratios, which is the geometric one: half and double together are no change.
    /// </summary>
    public static double GeometricMean(IReadOnlyCollection<double> ratios) =>
        Math.Exp(ratios.Sum(Math.Log) / ratios.Count);
}

using System;
using System.Runtime.CompilerServices;
using Cinnabar.Platform;

namespace Cinnabar.Load.Requests;

/// <summary>
/// Ranks from 1 to n, the k-th as likely as 1 / k^s, for any s above 0, without a table of n numbers.
///
/// Rejection-inversion: the area under the continuous curve x^-s is cut into pieces, one around each rank; a
/// random point of the whole area is inverted to an x, its nearest rank is taken when the point lies within
/// the rank's own bar, else another is drawn. At most one in some dozen is rejected. Source: W. Hörmann,
/// G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", 1996.
/// </summary>
internal sealed class ZipfDistribution
{
    private readonly double _exponent;
    private readonly long _count;
    private readonly double _areaFirst;
    private readonly double _areaLast;
    private readonly double _shortcut;

    /// <summary>A distribution over <paramref name="count"/> ranks.</summary>
    public ZipfDistribution(long count, double exponent)
    {
        _count = count;
        _exponent = exponent;
        _areaFirst = Area(1.5) - 1;
        _areaLast = Area(count + 0.5);
        _shortcut = 2 - Inverse(Area(2.5) - Math.Pow(2, -exponent));
    }

    /// <summary>A rank from 1 to the count.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public long Next(ref RandomSource random)
    {
        while (true)
        {
            double area = _areaLast + random.NextDouble() * (_areaFirst - _areaLast);
            double x = Inverse(area);
            long rank = long.Clamp((long)(x + 0.5), 1, _count);
            if (rank - x <= _shortcut || area >= Area(rank + 0.5) - Math.Pow(rank, -_exponent)) return rank;
        }
    }

    // The integral of x^-s, and its inverse; written so that s = 1 is no special case.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private double Area(double x)
    {
        double log = Math.Log(x);
        return ExpFraction((1 - _exponent) * log) * log;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private double Inverse(double area)
    {
        double t = Math.Max(area * (1 - _exponent), -1);
        return Math.Exp(LogFraction(t) * area);
    }

    // ln(1 + x) / x and (e^x - 1) / x, which both are 1 at 0; by their series where they would lose digits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static double LogFraction(double x) => Math.Abs(x) > 1e-8
        ? Math.Log(1 + x) / x : 1 - x * (0.5 - x * (1.0 / 3 - x * 0.25));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static double ExpFraction(double x) => Math.Abs(x) > 1e-8
        ? (Math.Exp(x) - 1) / x : 1 + x * 0.5 * (1 + x * (1.0 / 3) * (1 + x * 0.25));
}

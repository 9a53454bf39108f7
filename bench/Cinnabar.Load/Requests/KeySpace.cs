using System.Globalization;

namespace Cinnabar.Load.Requests;

/// <summary>The keys of a load: a prefix, and a number between two limits (both included).</summary>
public sealed record KeySpace
{
    /// <summary>What every key begins with.</summary>
    public string Prefix { get; init; } = "key:";

    /// <summary>The smallest number.</summary>
    public long Minimum { get; init; }

    /// <summary>The largest number.</summary>
    public long Maximum { get; init; } = 999_999;

    /// <summary>To how many digits numbers are filled up with zeros; 0 leaves them as they are.</summary>
    public int Width { get; init; } = 12;

    /// <summary>Where a Gaussian pattern has its middle; null: in the middle of the numbers.</summary>
    public double? Median { get; init; }

    /// <summary>A Gaussian pattern's standard deviation, in keys; null: a sixth of the numbers.</summary>
    public double? StandardDeviation { get; init; }

    /// <summary>A Zipfian pattern's exponent, above 0.</summary>
    public double ZipfExponent { get; init; } = 1;

    /// <summary>How many keys there are.</summary>
    public long Count => Maximum - Minimum + 1;

    /// <summary>The size of the longest key, in bytes.</summary>
    public int SizeMax => Prefix.Length + DigitCountMax;

    /// <summary>How many digits the longest number has.</summary>
    internal int DigitCountMax =>
        int.Max(Width, Maximum.ToString(CultureInfo.InvariantCulture).Length);

    /// <summary>Whether all numbers have equally many digits.</summary>
    internal bool IsFixedWidth =>
        int.Max(Width, Minimum.ToString(CultureInfo.InvariantCulture).Length) == DigitCountMax;

    /// <summary>Throws where the limits make no sense.</summary>
    /// <exception cref="LoadException">They do not.</exception>
    internal void Check()
    {
        if (Minimum < 0) throw new LoadException("the smallest key is below 0");
        if (Maximum < Minimum) throw new LoadException("the largest key is below the smallest");
        if (Width is < 0 or > 19) throw new LoadException("a key's width is 0 to 19 digits");
        if (ZipfExponent <= 0) throw new LoadException("the exponent of a Zipfian pattern is above 0");
        if (StandardDeviation <= 0) throw new LoadException("a standard deviation is above 0");
        if (Median < Minimum || Median > Maximum) throw new LoadException("the median is outside the keys");
    }
}

namespace Cinnabar.Structures.Geo;

/// <summary>A cell of the grid that has 4^steps cells.</summary>
/// <param name="Bits">Its number in this grid.</param>
/// <param name="Steps">1 to 26.</param>
public readonly record struct GeoCell(ulong Bits, int Steps)
{
    /// <summary>The smallest number of a place in this cell.</summary>
    public ulong First => Bits << 2 * (Geohash.StepsMax - Steps);

    /// <summary>The number behind the largest one of a place in this cell.</summary>
    public ulong End => (Bits + 1) << 2 * (Geohash.StepsMax - Steps);

    /// <summary>Where it is on the map.</summary>
    public GeoBounds Bounds
    {
        get
        {
            uint x = Geohash.Gather(Bits >> 1);
            uint y = Geohash.Gather(Bits);
            return new GeoBounds(
                Scale(x, Geohash.LongitudeMax), Scale(y, Geohash.LatitudeMax),
                Scale(x + 1.0, Geohash.LongitudeMax), Scale(y + 1.0, Geohash.LatitudeMax));
        }
    }

    /// <summary>The cell of a place.</summary>
    internal static GeoCell Of(GeoPoint point, int steps) =>
        new(Geohash.Encode(point, steps, Geohash.LatitudeMax), steps);

    /// <summary>The cell a number of columns to the east and rows to the north; the grid wraps
    /// around.</summary>
    internal GeoCell Move(int columns, int rows)
    {
        uint mask = (uint)((1UL << Steps) - 1);
        uint x = Geohash.Gather(Bits >> 1);
        uint y = Geohash.Gather(Bits);
        // A place on the northern edge is in a row that the grid does not have: it stays there till it moves.
        if (columns != 0) x = x + (uint)columns & mask;
        if (rows != 0) y = y + (uint)rows & mask;
        return this with { Bits = Geohash.Interleave(x, y) };
    }

    /// <summary>The cell of the next coarser grid that it lies in.</summary>
    internal GeoCell Parent => new(Bits >> 2, Steps - 1);

    /// <summary>The cell at the edge of the map, where this one lies beyond it; else this one.</summary>
    internal GeoCell ToMap()
    {
        uint last = (uint)((1UL << Steps) - 1);
        uint x = Math.Min(Geohash.Gather(Bits >> 1), last);
        uint y = Math.Min(Geohash.Gather(Bits), last);
        return this with { Bits = Geohash.Interleave(x, y) };
    }

    /// <summary>Whether the cell a number of columns to the east and rows to the north is on the map, if the
    /// grid does not wrap around.</summary>
    internal bool HasNeighbour(int columns, int rows)
    {
        long end = 1L << Steps;
        long x = Geohash.Gather(Bits >> 1) + (long)columns;
        long y = Geohash.Gather(Bits) + (long)rows;
        return x >= 0 && x < end && y >= 0 && y < end;
    }

    private double Scale(double index, double max) => -max + index / (1UL << Steps) * (max + max);
}

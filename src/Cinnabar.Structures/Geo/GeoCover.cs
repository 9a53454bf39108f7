// The cells that a search has to read: the cell of the middle of a shape and its eight neighbours, in a grid
// that is as fine as possible while these nine reach as far as the shape does. Neighbours that the shape does
// not reach are left out. Which grid is first guessed from the radius: each step halves a cell, and towards
// the poles the cells of the map are smaller than they look.
//
// Circles and boxes are covered as Redis covers them, since what is found, and its order, is what Redis
// replies. Neighbours wrap around the map in both directions, and if the guess was too fine one step less is
// taken, once. A center on the eastern or northern edge of the map is in a column or row that the grid does
// not have, and what are taken for its neighbours are not all of them: places may be missed.
//
// A polygon lies on the map as on a plane and does not wrap around, and no place of it is missed. Its middle
// is taken into the grid; cells beyond the edge of the map are no neighbours, and need not be reached; and
// steps are taken back as often as is needed, in the end to the map's four quarters. When they suffice, the
// columns of the cells begin at or before the polygon's west and end at or behind its east, and the rows
// likewise, wherever the middle is: the mean of the vertices of a polygon that is wider than half of the map
// is often outside of it.

namespace Cinnabar.Structures.Geo;

/// <summary>Finds the cells that cover a shape.</summary>
public static class GeoCover
{
    /// <summary>The most cells that a cover has.</summary>
    public const int CellCountMax = 9;

    private const double MercatorHalfWidth = 20037726.37;

    /// <summary>Finds the cells, in the order in which they are to be read.</summary>
    /// <param name="shape">A shape.</param>
    /// <param name="cells">At least <see cref="CellCountMax"/>; receives the cells.</param>
    /// <returns>How many there are; they are different.</returns>
    public static int Find(in GeoShape shape, Span<GeoCell> cells)
    {
        GeoBounds bounds = shape.Bounds();
        bool wraps = shape.Kind != GeoShapeKind.Polygon;
        GeoCell middle = MiddleOf(shape, bounds, wraps);
        bool isCut = middle.Steps >= 2 || !wraps;
        GeoBounds area = middle.Bounds;
        (int South, int North) rows = (
            isCut && area.LatitudeMin < bounds.LatitudeMin ? 0 : -1,
            isCut && area.LatitudeMax > bounds.LatitudeMax ? 0 : 1);
        (int West, int East) columns = (
            isCut && area.LongitudeMin < bounds.LongitudeMin ? 0 : -1,
            isCut && area.LongitudeMax > bounds.LongitudeMax ? 0 : 1);

        // The middle, then north, south, east, west, and the corners: the order of Redis's replies.
        ReadOnlySpan<(sbyte Column, sbyte Row)> moves =
            [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)];
        int count = 0;
        foreach ((sbyte column, sbyte row) in moves)
        {
            bool isReached = column >= columns.West && column <= columns.East
                && row >= rows.South && row <= rows.North;
            if (!isReached || !wraps && !middle.HasNeighbour(column, row)) continue;
            GeoCell cell = middle.Move(column, row);
            // In a grid of two rows, north is south: neighbours in this order are the same.
            if (count == 0 || cells[count - 1] != cell) cells[count++] = cell;
        }
        return count;
    }

    private static GeoCell MiddleOf(in GeoShape shape, in GeoBounds bounds, bool wraps)
    {
        int steps = StepsFor(shape.Radius, shape.Center.Latitude);
        int stepsMin = wraps ? Math.Max(1, steps - 1) : 1;
        // The mean of a polygon's vertices may be nearer to a pole than the map goes.
        var center = new GeoPoint(
            shape.Center.Longitude,
            Math.Clamp(shape.Center.Latitude, -Geohash.LatitudeMax, Geohash.LatitudeMax));
        GeoCell cell = GeoCell.Of(center, steps);
        if (!wraps) cell = cell.ToMap();
        while (cell.Steps > stepsMin && !Reaches(cell, bounds, wraps)) cell = cell.Parent;
        return cell;
    }

    private static int StepsFor(double radius, double latitude)
    {
        if (radius == 0) return Geohash.StepsMax;
        int steps = 1;
        for (; radius < MercatorHalfWidth; radius *= 2) steps++;
        steps -= 2;
        double fromEquator = Math.Abs(latitude);
        if (fromEquator > 66) steps--;
        if (fromEquator > 80) steps--;
        return Math.Clamp(steps, 1, Geohash.StepsMax);
    }

    // Whether a cell and its neighbours reach as far as the bounds in all four directions; where the grid
    // does not wrap around, there is nothing to be reached beyond the edge of the map.
    private static bool Reaches(GeoCell cell, in GeoBounds bounds, bool wraps)
    {
        return (IsLast(0, 1) || cell.Move(0, 1).Bounds.LatitudeMax >= bounds.LatitudeMax)
            && (IsLast(0, -1) || cell.Move(0, -1).Bounds.LatitudeMin <= bounds.LatitudeMin)
            && (IsLast(1, 0) || cell.Move(1, 0).Bounds.LongitudeMax >= bounds.LongitudeMax)
            && (IsLast(-1, 0) || cell.Move(-1, 0).Bounds.LongitudeMin <= bounds.LongitudeMin);

        bool IsLast(int columns, int rows) => !wraps && !cell.HasNeighbour(columns, rows);
    }
}

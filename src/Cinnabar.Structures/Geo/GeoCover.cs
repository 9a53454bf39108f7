// The cells that a search has to read: the cell of the middle of a shape and its eight neighbours, in a grid
// that is as fine as possible while these nine reach as far as the shape does. Neighbours that the shape does
// not reach are left out.
//
// Which grid is first guessed from the radius: each step halves a cell, and towards the poles the cells of
// the map are smaller than they look. If the guess was too fine, one step less is taken: once for circles and
// boxes, as Redis does, whose replies have the order of the cells; as often as needed for polygons, which may
// be of any shape.
using System;

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
        GeoCell middle = MiddleOf(shape, bounds);
        bool isCut = middle.Steps >= 2;
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
            if (!isReached) continue;
            GeoCell cell = middle.Move(column, row);
            // In a grid of two rows, north is south: neighbours in this order are the same.
            if (count == 0 || cells[count - 1] != cell) cells[count++] = cell;
        }
        return count;
    }

    private static GeoCell MiddleOf(in GeoShape shape, in GeoBounds bounds)
    {
        int steps = StepsFor(shape.Radius, shape.Center.Latitude);
        int stepsMin = shape.Kind == GeoShapeKind.Polygon ? 1 : Math.Max(1, steps - 1);
        // The mean of a polygon's vertices may be nearer to a pole than the map goes.
        var center = new GeoPoint(
            shape.Center.Longitude,
            Math.Clamp(shape.Center.Latitude, -Geohash.LatitudeMax, Geohash.LatitudeMax));
        GeoCell cell = GeoCell.Of(center, steps);
        while (steps > stepsMin && !Reaches(cell, bounds))
            cell = GeoCell.Of(center, --steps);
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

    // Whether the neighbours of a cell reach as far as the bounds in all four directions.
    private static bool Reaches(GeoCell cell, in GeoBounds bounds) =>
        cell.Move(0, 1).Bounds.LatitudeMax >= bounds.LatitudeMax
        && cell.Move(0, -1).Bounds.LatitudeMin <= bounds.LatitudeMin
        && cell.Move(1, 0).Bounds.LongitudeMax >= bounds.LongitudeMax
        && cell.Move(-1, 0).Bounds.LongitudeMin <= bounds.LongitudeMin;
}

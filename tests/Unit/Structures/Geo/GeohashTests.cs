using System;
using System.Text;
using Cinnabar.Structures.Geo;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Geo;

// What is expected is what redis-server 7.0.15 answers.
public sealed class GeohashTests
{
    private static readonly GeoPoint s_palermo = new(13.361389, 38.115556);
    private static readonly GeoPoint s_catania = new(15.087269, 37.502669);

    [Fact]
    public void PlacesAreTheNumbersOfRedis()
    {
        Assert.Equal(3479099956230698UL, Geohash.Encode(s_palermo));
        Assert.Equal(3479447370796909UL, Geohash.Encode(s_catania));
        GeoPoint decoded = Geohash.Decode(3479099956230698);
        Assert.Equal(13.36138933897018433, decoded.Longitude);
        Assert.Equal(38.11555639549629859, decoded.Latitude);
    }

    [Fact]
    public void TextsAreThoseOfRedis()
    {
        Assert.Equal("sqc8b49rny0", Text(s_palermo));
        Assert.Equal("sqdtr74hyu0", Text(s_catania));
    }

    [Fact]
    public void DistancesAreThoseOfRedis()
    {
        GeoPoint palermo = Geohash.Decode(Geohash.Encode(s_palermo));
        GeoPoint catania = Geohash.Decode(Geohash.Encode(s_catania));
        Assert.Equal(166274.1516, GeoDistance.Between(palermo, catania), 4);
        Assert.Equal(0, GeoDistance.Between(palermo, palermo));
        double quarter = Math.PI / 2 * GeoDistance.EarthRadius;
        Assert.Equal(quarter, GeoDistance.Between(new GeoPoint(0, 0), new GeoPoint(90, 0)), 6);
        Assert.Equal(quarter / 2, GeoDistance.Between(new GeoPoint(7, 45), new GeoPoint(7, 0)), 6);
    }

    [Theory]
    [InlineData(180, 85.05112878, true)]
    [InlineData(-180, -85.05112878, true)]
    [InlineData(180.0001, 0, false)]
    [InlineData(0, -85.0512, false)]
    [InlineData(double.NaN, 0, false)]
    [InlineData(0, double.NaN, false)]
    public void OnlyPlacesOfTheMapAreInRange(double longitude, double latitude, bool expected)
        => Assert.Equal(expected, Geohash.IsInRange(new GeoPoint(longitude, latitude)));

    [Fact]
    public void ACircleHasThePlacesThatAreNearEnoughAndNoOthers()
    {
        var random = new Random(23);
        int insideCount = 0;
        for (int i = 0; i < 200_000; i++)
        {
            var center = new GeoPoint(random.NextDouble() * 360 - 180, random.NextDouble() * 170 - 85);
            double radius = Math.Pow(10, random.NextDouble() * 7.5);
            GeoShape circle = GeoShape.Circle(center, radius);
            // On the circle itself, where rounding decides, as often as anywhere near.
            double away = radius * (i % 2 == 0 ? 1 : random.NextDouble() * 3);
            GeoPoint place = PlaceAt(center, random.NextDouble() * 2 * Math.PI, away);
            bool isInside = GeoDistance.Between(center, place) <= radius;
            Assert.True(circle.Contains(place, out _) == isInside, $"{center} {radius:R} {place}");
            insideCount += isInside ? 1 : 0;
        }
        Assert.InRange(insideCount, 50_000, 150_000);
    }

    // Where one arrives who goes straight on.
    private static GeoPoint PlaceAt(GeoPoint from, double direction, double meters)
    {
        double angle = meters / GeoDistance.EarthRadius;
        double latitude = from.Latitude * Math.PI / 180;
        double sine = Math.Sin(latitude) * Math.Cos(angle)
            + Math.Cos(latitude) * Math.Sin(angle) * Math.Cos(direction);
        double east = Math.Atan2(Math.Sin(direction) * Math.Sin(angle) * Math.Cos(latitude),
            Math.Cos(angle) - Math.Sin(latitude) * sine);
        double longitude = Math.IEEERemainder(from.Longitude + east * 180 / Math.PI, 360);
        return new GeoPoint(longitude, Math.Asin(Math.Clamp(sine, -1, 1)) * 180 / Math.PI);
    }

    [Fact]
    public void APolygonMayBeConcave()
    {
        GeoPoint[] vertices = [new(0, 0), new(10, 0), new(10, 10), new(5, 2), new(0, 10)];
        GeoShape shape = GeoShape.Polygon(vertices);
        Assert.True(shape.Contains(new GeoPoint(1, 5), out double distance));
        Assert.Equal(GeoDistance.Between(shape.Center, new GeoPoint(1, 5)), distance);
        Assert.True(shape.Contains(new GeoPoint(9, 5), out _));
        Assert.True(shape.Contains(new GeoPoint(5, 1), out _));
        Assert.False(shape.Contains(new GeoPoint(5, 5), out _));
        Assert.False(shape.Contains(new GeoPoint(11, 5), out _));
        Assert.False(shape.Contains(new GeoPoint(-1, 5), out _));
        Assert.Equal(new GeoBounds(0, 0, 10, 10), shape.Bounds());
    }

    [Fact]
    public void TheCenterOfAPolygonIsTheMeanOfItsVertices()
    {
        GeoPoint center = GeoShape.Polygon([new(-10, -10), new(10, -10), new(10, 10), new(-10, 10)]).Center;
        Assert.Equal(0, center.Longitude, 9);
        Assert.Equal(0, center.Latitude, 9);
        center = GeoShape.Polygon([new(170, 0), new(-170, 0), new(180, 0)]).Center;
        Assert.Equal(180, Math.Abs(center.Longitude), 9);
    }

    [Fact]
    public void ACoverOfTheWholeMapIsItsFourQuarters()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        int count = GeoCover.Find(GeoShape.Circle(new GeoPoint(1, 1), 30_000_000), cells);
        Assert.Equal(4, count);
        ulong sum = 0;
        foreach (GeoCell cell in cells[..count]) sum += cell.End - cell.First;
        Assert.Equal(1UL << 52, sum);
    }

    [Fact]
    public void ACoverOfAPointIsItsCell()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        GeoPoint point = Geohash.Decode(Geohash.Encode(s_palermo));
        Assert.Equal(1, GeoCover.Find(GeoShape.Polygon([point, point, point]), cells));
        Assert.Equal(Geohash.Encode(s_palermo), cells[0].First);
        Assert.Equal(cells[0].First + 1, cells[0].End);
    }

    /// <summary>The order of replies begins with the cell of the mean of the vertices, as in
    /// Valkey.</summary>
    [Fact]
    public void ACoverOfAPolygonBeginsAtItsCenter()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        GeoShape shape = GeoShape.Polygon([new(0, 0), new(0.1, 0.1), new(0, 0.1), new(40, 5)]);
        Assert.True(GeoCover.Find(shape, cells) > 1);
        ulong center = Geohash.Encode(shape.Center);
        Assert.InRange(center, cells[0].First, cells[0].End - 1);
    }

    [Fact]
    public void APolygonAroundAPoleIsFound()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        GeoShape shape = GeoShape.Polygon([new(0, 80), new(120, 80), new(-120, 84)]);
        int count = GeoCover.Find(shape, cells);
        ulong inside = Geohash.Encode(new GeoPoint(10, 81));
        int found = 0;
        foreach (GeoCell cell in cells[..count])
            found += inside >= cell.First && inside < cell.End ? 1 : 0;
        Assert.Equal(1, found);
    }

    /// <summary>The middle of these is on the edge of the map, in a column or row that the grid does not
    /// have.</summary>
    [Theory]
    [InlineData(180.0, -10.0, 10.0)]
    [InlineData(180.0, -80.0, 85.05112878)]
    [InlineData(-180.0, -10.0, 10.0)]
    public void APolygonAroundTheMapReadsAllColumns(double west, double south, double north)
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        GeoShape shape = GeoShape.Polygon(
            [new(west, south), new(-west, south), new(-west, north), new(west, north)]);
        int count = GeoCover.Find(shape, cells);
        ulong sum = 0;
        foreach (GeoCell cell in cells[..count]) sum += cell.End - cell.First;
        Assert.Equal(1UL << 52, sum);
    }

    private static string Text(GeoPoint point)
    {
        byte[] text = new byte[Geohash.TextLength];
        Geohash.WriteText(Geohash.Encode(point), text);
        return Encoding.ASCII.GetString(text);
    }
}

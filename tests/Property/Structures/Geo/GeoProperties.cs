using System;
using Cinnabar.Platform;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Geo;

public sealed class GeoProperties
{
    [Fact]
    public void APlaceIsInItsCell() => Seeded.Run(4, seed =>
    {
        var random = new RandomSource(seed);
        for (int round = 0; round < 20_000; round++)
        {
            GeoPoint point = RandomPoint(ref random, new GeoBounds(-180, -85, 180, 85));
            ulong geohash = Geohash.Encode(point);
            Assert.True(geohash < 1UL << 52);
            Assert.Equal(geohash, Geohash.Encode(Geohash.Decode(geohash)));
            Assert.True(Contains(new GeoCell(geohash, 26).Bounds, point));
            for (int steps = 1; steps < 26; steps++)
            {
                var cell = new GeoCell(geohash >> 2 * (26 - steps), steps);
                Assert.True(Contains(cell.Bounds, point));
                Assert.InRange(geohash, cell.First, cell.End - 1);
            }
        }
    });

    // Places within polygons of any size and form are in a cell of the cover, and in no two.
    [Fact]
    public void ACoverReachesEveryPlaceOfAPolygon() => Seeded.Run(4, seed =>
    {
        var random = new RandomSource(seed);
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        int insideCount = 0;
        for (int round = 0; round < 1_000; round++)
        {
            GeoBounds within = RandomBounds(ref random);
            GeoPoint[] vertices = new GeoPoint[3 + random.NextBelow(6)];
            foreach (ref GeoPoint vertex in vertices.AsSpan()) vertex = RandomPoint(ref random, within);
            GeoShape shape = GeoShape.Polygon(vertices);
            int count = GeoCover.Find(shape, cells);
            for (int place = 0; place < 40; place++)
            {
                GeoPoint point = RandomPoint(ref random, within);
                if (!shape.Contains(point, out _)) continue;
                insideCount++;
                ulong geohash = Geohash.Encode(point);
                int found = 0;
                foreach (GeoCell cell in cells[..count])
                    found += geohash >= cell.First && geohash < cell.End ? 1 : 0;
                Assert.Equal(1, found);
            }
        }
        Assert.True(insideCount > 1_000);
    });

    private static bool Contains(GeoBounds bounds, GeoPoint point) =>
        point.Longitude >= bounds.LongitudeMin && point.Longitude <= bounds.LongitudeMax
        && point.Latitude >= bounds.LatitudeMin && point.Latitude <= bounds.LatitudeMax;

    private static GeoPoint RandomPoint(ref RandomSource random, GeoBounds within) => new(
        within.LongitudeMin + random.NextDouble() * (within.LongitudeMax - within.LongitudeMin),
        within.LatitudeMin + random.NextDouble() * (within.LatitudeMax - within.LatitudeMin));

    private static GeoBounds RandomBounds(ref RandomSource random)
    {
        GeoPoint a = RandomPoint(ref random, new GeoBounds(-180, -85, 180, 85));
        double width = Math.Pow(2, -(random.NextDouble() * 25)) * (180 - a.Longitude);
        double height = Math.Pow(2, -(random.NextDouble() * 25)) * (85 - a.Latitude);
        return new GeoBounds(a.Longitude, a.Latitude, a.Longitude + width, a.Latitude + height);
    }
}

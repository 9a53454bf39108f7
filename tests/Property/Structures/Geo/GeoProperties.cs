using System;
using Cinnabar.Platform;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Geo;

public sealed class GeoProperties
{
    private const int PolygonCount = 1_500;
    private const int PlacesOfPolygon = 40;

    [Fact]
    public void APlaceIsInItsCell() => Seeded.Run(4, seed =>
    {
        var random = new RandomSource(seed);
        for (int round = 0; round < 20_000; round++)
        {
            GeoPoint point = PointIn(new GeoBounds(-180, -85, 180, 85), ref random);
            ulong geohash = Geohash.Encode(point);
            Assert.True(geohash < 1UL << 52);
            GeoPoint decoded = Geohash.Decode(geohash);
            Assert.Equal(geohash, Geohash.Encode(decoded));
            Assert.Equal(NaiveMap.Decode(geohash).Longitude, decoded.Longitude, 1e-12);
            Assert.Equal(NaiveMap.Decode(geohash).Latitude, decoded.Latitude, 1e-12);
            Assert.True(new GeoCell(geohash, 26).Bounds.Contains(point));
            for (int steps = 1; steps < 26; steps++)
            {
                var cell = new GeoCell(geohash >> 2 * (26 - steps), steps);
                Assert.True(cell.Bounds.Contains(point));
                Assert.InRange(geohash, cell.First, cell.End - 1);
            }
        }
    });

    // Places within polygons of any size and form are in a cell of the cover, and in no two.
    [Fact]
    public void ACoverReachesEveryPlaceOfAPolygon() => Seeded.Run(4, seed =>
    {
        var draws = new Draws(seed);
        var places = new PlaceDraws(draws);
        int insideCount = 0;
        for (int round = 0; round < PolygonCount; round++) insideCount += CheckPolygon(draws, places);
        Assert.True(insideCount > PolygonCount);
    });

    [Fact]
    public void NoProgramMakesAPolygonThatIsNotCovered() =>
        Fuzzer.Run(programCount: 400, programSizeMax: 400, draws =>
        {
            var places = new PlaceDraws(draws);
            while (!draws.HasEnded) CheckPolygon(draws, places);
        });

    // The cells of a small polygon are small, also where the map ends.
    [Fact]
    public void ACoverOfASmallPolygonIsSmall() => Seeded.Run(4, seed =>
    {
        var draws = new Draws(seed);
        var places = new PlaceDraws(draws);
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        for (int round = 0; round < PolygonCount; round++)
        {
            GeoPoint a = places.Next();
            double size = Math.Pow(2, -draws.Below(20));
            double east = a.Longitude > 0 ? a.Longitude - size : a.Longitude + size;
            double north = a.Latitude > 0 ? a.Latitude - size : a.Latitude + size;
            GeoPoint[] corners =
                [a, a with { Longitude = east }, new(east, north), a with { Latitude = north }];
            int count = GeoCover.Find(GeoShape.Polygon(corners), cells);
            GeoBounds cell = cells[0].Bounds;
            Assert.InRange((cell.LongitudeMax - cell.LongitudeMin) / size, 0, 8);
        }
    });

    // Returns how many places were found to be inside.
    private static int CheckPolygon(Draws draws, PlaceDraws places)
    {
        GeoPoint[] corners = places.Corners();
        var random = new RandomSource(draws.Next());
        GeoShape shape = GeoShape.Polygon(corners);
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        cells = cells[..GeoCover.Find(shape, cells)];
        GeoBounds bounds = shape.Bounds();
        int insideCount = 0;
        for (int place = 0; place < PlacesOfPolygon; place++)
        {
            ulong geohash = Geohash.Encode(PointIn(bounds, ref random));
            GeoPoint point = NaiveMap.Decode(geohash);
            NaivePlace where = NaiveMap.OfPolygon(corners, point);
            if (where == NaivePlace.OnEdge) continue;
            Assert.Equal(where == NaivePlace.Inside, shape.Contains(point, out _));
            if (where == NaivePlace.Outside) continue;
            insideCount++;
            int foundCount = 0;
            foreach (GeoCell cell in cells) foundCount += geohash >= cell.First && geohash < cell.End ? 1 : 0;
            Assert.Equal(1, foundCount);
        }

        draws.Mark(cells.Length, cells[0].Steps, Math.Min(insideCount, 1), corners.Length);
        return insideCount;
    }

    private static GeoPoint PointIn(GeoBounds within, ref RandomSource random) => new(
        within.LongitudeMin + random.NextDouble() * (within.LongitudeMax - within.LongitudeMin),
        within.LatitudeMin + random.NextDouble() * (within.LatitudeMax - within.LatitudeMin));
}

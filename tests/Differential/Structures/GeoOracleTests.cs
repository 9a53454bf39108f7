using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Structures;

public sealed class GeoOracleTests
{
    private const int PlaceCount = 2_000;
    private const int SearchCount = 300;

    /// <summary>Numbers, places, texts and distances are the oracle's.</summary>
    [Fact]
    public void EncodesAndMeasuresAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => Encode(client, new Random((int)seed)));
    }

    /// <summary>Circles and boxes hold the same places, in the same order, with the same distances.</summary>
    [Fact]
    public void SearchesAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => Search(client, new Random((int)seed)));
    }

    // Redis rounds ten thousand times the distance to an integer, which for one in some billions is another
    // text than the distance's nearest with four places.
    private static string Shown(double distance)
    {
        long scaled = (long)Math.Round(distance * 10_000, MidpointRounding.ToEven);
        return string.Create(CultureInfo.InvariantCulture, $"{scaled / 10_000}.{scaled % 10_000:D4}");
    }

    private static void Encode(RespClient client, Random random)
    {
        client.Call("DEL", "geo");
        GeoPoint? before = null;
        for (int index = 0; index < PlaceCount; index++)
        {
            GeoPoint point = RandomPoint(random);
            if (random.Next(10) == 0 && before is { } near) point = point with { Longitude = near.Longitude };
            string name = $"p{index}";
            string last = $"p{Math.Max(0, index - 1)}";
            RespValue[] replies = client.CallAll(
            [
                Words("GEOADD", "geo", Text(point.Longitude), Text(point.Latitude), name),
                Words("ZSCORE", "geo", name), Words("GEOPOS", "geo", name), Words("GEOHASH", "geo", name),
                Words("GEODIST", "geo", name, last),
            ]);
            double score = Geohash.Encode(point);
            Assert.Equal(score, replies[1].Double);
            // On the eastern edge of the map the number has 54 bits, of which a score keeps 53.
            ulong geohash = (ulong)score;
            GeoPoint decoded = Geohash.Decode(geohash);
            // GEOPOS writes 17 decimal places, which are not all digits of a number near zero.
            Assert.Equal(decoded.Longitude, replies[2].Items[0].Items[0].Double, 1e-16);
            Assert.Equal(decoded.Latitude, replies[2].Items[0].Items[1].Double, 1e-16);
            byte[] text = new byte[Geohash.TextLength];
            Geohash.WriteText(geohash, text);
            Assert.Equal(replies[3].Items[0].Text, Encoding.ASCII.GetString(text));
            double distance = GeoDistance.Between(decoded, before ?? decoded);
            Assert.Equal(replies[4].Text, Shown(distance));
            before = decoded;
        }
    }

    private static void Search(RespClient client, Random random)
    {
        client.Call("DEL", "geo");
        var places = new List<(ulong Geohash, string Name)>();
        for (int index = 0; index < PlaceCount; index++)
        {
            GeoPoint point = RandomPoint(random);
            places.Add(((ulong)(double)Geohash.Encode(point), $"p{index:0000}"));
            client.Call("GEOADD", "geo", Text(point.Longitude), Text(point.Latitude), places[^1].Name);
        }
        places.Sort();
        for (int round = 0; round < SearchCount; round++)
        {
            GeoPoint center = RandomPoint(random);
            double width = RandomLength(random);
            double height = RandomLength(random);
            bool isCircle = random.Next(2) == 0;
            string[] by = isCircle
                ? ["BYRADIUS", Text(width), "m"]
                : ["BYBOX", Text(width), Text(height), "m"];
            string[] from = ["FROMLONLAT", Text(center.Longitude), Text(center.Latitude)];
            GeoShape shape = isCircle ? GeoShape.Circle(center, width) : GeoShape.Box(center, width, height);
            RespValue reply = client.Call(["GEOSEARCH", "geo", .. from, .. by]);
            List<string> expected = [.. reply.Items.Select(item => item.Text)];
            client.Call(["GEOSEARCHSTORE", "found", "geo", .. from, .. by, "STOREDIST"]);
            RespValue stored = client.Call("ZRANGE", "found", "0", "-1", "WITHSCORES");
            var distances = stored.Items.Chunk(2).ToDictionary(pair => pair[0].Text, pair => pair[1].Double);
            Compare(shape, places, expected, distances);
        }
    }

    private static void Compare(
        GeoShape shape, List<(ulong Geohash, string Name)> places, List<string> expected,
        Dictionary<string, double> distances)
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        int count = GeoCover.Find(shape, cells);
        List<string> found = [];
        foreach (GeoCell cell in cells[..count])
        {
            foreach ((ulong geohash, string name) in places)
            {
                if (geohash < cell.First || geohash >= cell.End) continue;
                if (!shape.Contains(Geohash.Decode(geohash), out double distance)) continue;
                found.Add(name);
                if (distances.TryGetValue(name, out double stored)) Assert.Equal(stored, distance);
            }
        }
        Assert.Equal(expected, found);
    }

    // Many near one another, some anywhere, some near the edges and the poles, some on them.
    private static GeoPoint RandomPoint(Random random)
    {
        double latitude = random.NextDouble() * 170 - 85;
        return random.Next(14) switch
        {
            < 5 => new GeoPoint(13 + random.NextDouble(), 38 + random.NextDouble()),
            < 7 => new GeoPoint(-70 + 30 * random.NextDouble(), -75 + 20 * random.NextDouble()),
            7 => new GeoPoint(180 - random.NextDouble() / 1000, latitude),
            8 => new GeoPoint(-180 + random.NextDouble() / 1000, latitude),
            9 => new GeoPoint(random.Next(2) * 360 - 180, latitude),
            10 => new GeoPoint(2 * latitude, (random.Next(2) * 2 - 1) * Geohash.LatitudeMax),
            11 => new GeoPoint(2 * latitude, (random.Next(2) * 2 - 1) * (85 - random.NextDouble() * 5)),
            _ => new GeoPoint(random.NextDouble() * 360 - 180, latitude),
        };
    }

    // Small to larger than the Earth; on and around the lengths at which redis-server takes the next grid.
    private static double RandomLength(Random random) => random.Next(4) switch
    {
        0 => 20037726.37 / (1 << random.Next(24)) * (1 + (random.Next(3) - 1) * 1e-9),
        1 => random.NextDouble() * 4e7,
        _ => Math.Pow(2, random.NextDouble() * 26),
    };

    private static string Text(double value) => value.ToString("R", CultureInfo.InvariantCulture);

    private static byte[][] Words(params string[] words) => Array.ConvertAll(words, Encoding.Latin1.GetBytes);
}

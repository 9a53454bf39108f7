using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Property.Structures.Geo;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Property.Commands;

/// <summary>
/// A set of places that come and go, and searches. Each search is made three times: for all there is, which
/// is compared with a walk over all places; with options, which must tell what follows from the first; and
/// where it has one, in its older form, or into another key.
/// </summary>
internal sealed class GeoHistory : IDisposable
{
    private const string Key = "places";
    private const double GridEnd = 1L << 52;
    private const double DistanceStep = 1e-4;
    private static readonly string[] s_units = ["m", "km", "ft", "mi"];

    private readonly CommandHarness _harness = DataCommands.NewHarness();
    private readonly SortedDictionary<string, double> _scores = new(StringComparer.Ordinal);
    private readonly Draws _draws;
    private readonly PlaceDraws _places;

    public GeoHistory(Draws draws)
    {
        _draws = draws;
        _places = new PlaceDraws(draws);
    }

    /// <summary>How many places the searches have found.</summary>
    public long FoundCount { get; private set; }

    public void Steps(int count)
    {
        for (int step = 0; step < count && !_draws.HasEnded; step++)
            Step();
    }

    public void Dispose() => _harness.Dispose();

    private void Step()
    {
        switch (Below(10))
        {
            case 0:
                _harness.Keyspace.Limits.SortedSetListpackEntriesMax = Below(2) == 0 ? 8 : 128;
                break;
            case 1 when _scores.Count > 0:
                string gone = AnyMember();
                _scores.Remove(gone);
                Call("ZREM", Key, gone);
                break;
            case 2:
                AddScore();
                break;
            case 3:
                Scatter();
                break;
            case 4 or 5:
                Add(_places.Next());
                break;
            default:
                Search();
                break;
        }
    }

    private int Below(int bound) => _draws.Below(bound);

    private Reply Call(params string[] words)
    {
        byte[] bytes = _harness.RunBytes(Array.ConvertAll(words, Encoding.Latin1.GetBytes));
        ReplyReader.Read(bytes, out Reply? reply, out int consumed);
        Assert.Equal(bytes.Length, consumed);
        Assert.NotNull(reply);
        Assert.False(reply.IsError, $"{string.Join(' ', words)}: {reply}");
        return reply;
    }

    private string AnyMember() => _scores.Keys.ElementAt(Below(_scores.Count));

    private void Add(GeoPoint place)
    {
        string member = $"p{Below(200)}";
        Call("GEOADD", Key, PlaceSearch.Text(place.Longitude), PlaceSearch.Text(place.Latitude), member);
        double score = Call("ZSCORE", Key, member).Double;
        _scores[member] = score;
        // On the eastern edge of the map the number has 54 bits, of which a score keeps 53.
        if (place.Longitude == 180)
            return;
        GeoPoint decoded = NaiveMap.Decode((ulong)score);
        Assert.Equal(place.Longitude, decoded.Longitude, 360.0 / (1 << 26));
        Assert.Equal(place.Latitude, decoded.Latitude, 180.0 / (1 << 26));
    }

    // Scores that no place has: nothing of the map finds those outside of the grid.
    private void AddScore()
    {
        double score = Below(5) switch
        {
            0 => -1,
            1 => GridEnd,
            2 => 1e300,
            3 => _draws.Next() >> 12,
            _ => (_draws.Next() >> 12) / 3.0,
        };
        string member = $"s{Below(8)}";
        Call("ZADD", Key, PlaceSearch.Text(score), member);
        _scores[member] = score;
    }

    // Many places at once, from few bytes of a program.
    private void Scatter()
    {
        var random = new RandomSource(_draws.Next());
        double width = 360.0 / (1 << Below(20));
        GeoPoint middle = _places.Next();
        for (int left = Below(100); left > 0; left--)
        {
            double longitude = middle.Longitude + (random.NextDouble() - 0.5) * width;
            double latitude = middle.Latitude + (random.NextDouble() - 0.5) * width / 2;
            string member = $"p{random.NextBelow(200)}";
            ulong geohash = Geohash.Encode(new GeoPoint(
                Math.Clamp(longitude, -180, 180),
                Math.Clamp(latitude, -NaiveMap.LatitudeMax, NaiveMap.LatitudeMax)));
            Call("ZADD", Key, geohash.ToString(CultureInfo.InvariantCulture), member);
            _scores[member] = geohash;
        }
    }

    private void Search()
    {
        string[] origin = [];
        GeoPoint center = default;
        string? named = _scores.Count > 0 && Below(2) == 0 ? AnyMember() : null;
        if (named != null && _scores[named] is >= 0 and < 4 * GridEnd)
        {
            origin = ["FROMMEMBER", named];
            center = NaiveMap.Decode((ulong)_scores[named]);
            _places.StandAt(center);
        }
        else
        {
            center = _places.Next();
            origin = ["FROMLONLAT", PlaceSearch.Text(center.Longitude), PlaceSearch.Text(center.Latitude)];
        }

        PlaceSearch search = Below(3) switch
        {
            0 => PlaceSearch.Circle(center, Length(), s_units[Below(4)]),
            1 => PlaceSearch.Box(center, Length(), Length(), s_units[Below(4)]),
            _ => PlaceSearch.Polygon(_places.Corners()),
        };
        string[] where = search.IsPolygon ? search.Shape : [.. origin, .. search.Shape];
        List<FoundPlace> all = [.. Call(["GEOSEARCH", Key, .. where, "WITHDIST", "WITHHASH", "WITHCOORD"])
            .Items.Select(FoundPlace.Of)];
        FoundCount += all.Count;
        _draws.Mark(search.Shape[0].Length, long.Log2(all.Count + 1), long.Log2(_scores.Count + 1));
        CheckAll(search, all);
        CheckOptions(where, search, all);
        CheckStore(where, search, all);
    }

    private double Length() => Below(16) switch
    {
        0 => 0,
        1 => double.PositiveInfinity,
        2 => 1e300,
        3 => 20037726.37 / (1 << Below(20)),
        _ => Math.Pow(2, Below(1 << 16) * 27.0 / (1 << 16)),
    };

    private void CheckAll(PlaceSearch search, List<FoundPlace> all)
    {
        var found = all.ToDictionary(static place => place.Member);
        foreach ((string member, double score) in _scores)
        {
            bool isFound = found.Remove(member, out FoundPlace? shown);
            // Redis misses the places in the last column and the last row, which the grid does not have;
            // these are on the edge of the map, so never inside of a polygon.
            if (score is < 0 or >= GridEnd)
            {
                Assert.True(!isFound || !search.FindsAll, member);
                continue;
            }

            GeoPoint place = NaiveMap.Decode((ulong)score);
            NaivePlace where = search.Of(place);
            bool isRight = where == NaivePlace.OnEdge || isFound == (where == NaivePlace.Inside)
                || (!isFound && !search.FindsAll);
            Assert.True(isRight, $"{member} at {place}, {where}, found: {isFound}, by "
                + $"{string.Join(' ', search.Shape)} from {search.Center}");
            if (shown == null)
                continue;
            Assert.Equal((long)score, shown.Hash.Integer);
            Assert.Equal(place.Longitude, shown.Point.Items[0].Double, 1e-12);
            Assert.Equal(place.Latitude, shown.Point.Items[1].Double, 1e-12);
            double distance = NaiveMap.Distance(search.Center, place);
            double tolerance = NaiveMap.Tolerance(distance) + DistanceStep * search.Unit;
            if (search.HasCenter)
                Assert.Equal(distance, shown.Distance.Double * search.Unit, tolerance);
        }

        Assert.Empty(found);
    }

    // Options in any order, and what must come of them.
    private void CheckOptions(string[] where, PlaceSearch search, List<FoundPlace> all)
    {
        int order = Below(3) - 1;
        int count = Below(2) == 0 ? 0 : 1 + Below(20);
        bool isAny = count > 0 && Below(2) == 0;
        bool[] shown = [Below(2) == 0, Below(2) == 0, Below(2) == 0];
        List<string> options = [];
        if (order != 0)
            options.Add(order > 0 ? "ASC" : "desc");
        if (shown[1])
            options.Add("WITHHASH");
        if (count > 0)
            options.AddRange(["COUNT", count.ToString(CultureInfo.InvariantCulture)]);
        if (shown[0])
            options.Add("withdist");
        if (isAny)
            options.Add("ANY");
        if (shown[2])
            options.Add("WITHCOORD");
        Reply reply = Call(Below(2) == 0
            ? ["GEOSEARCH", Key, .. where, .. options]
            : ["GEOSEARCH", Key, .. options, .. where]);
        List<FoundPlace> expected = isAny ? [.. all.Take(count)] : all;
        if (order == 0 && count > 0 && !isAny)
            order = 1;
        Check(reply, shown, order, count, expected);
        if (where[0] == "FROMLONLAT" && search.Shape[0] == "BYRADIUS")
            Assert.Equal(reply.ToString(), Call(["GEORADIUS", Key, .. where[1..3], .. search.Shape[1..],
                .. options]).ToString());
        if (where[0] == "FROMMEMBER" && search.Shape[0] == "BYRADIUS")
            Assert.Equal(reply.ToString(), Call(["GEORADIUSBYMEMBER", Key, where[1], .. search.Shape[1..],
                .. options]).ToString());
    }

    private static void Check(Reply reply, bool[] shown, int order, int count, List<FoundPlace> places)
    {
        IEnumerable<double> distances = places.Select(static place => place.Distance.Double);
        distances = order > 0 ? distances.Order() : order < 0 ? distances.OrderDescending() : distances;
        if (count > 0)
            distances = distances.Take(count);
        var byName = places.ToDictionary(static place => place.Member);
        List<double> actual = [];
        foreach (Reply item in reply.Items)
        {
            bool isPlain = !shown.Contains(true);
            Assert.Equal(isPlain ? 0 : 1 + shown.Count(static isShown => isShown), item.Items.Count);
            Assert.True(byName.Remove(isPlain ? item.Text : item.Items[0].Text, out FoundPlace? place));
            actual.Add(place.Distance.Double);
            Reply[] parts = [place.Distance, place.Hash, place.Point];
            IEnumerable<string> expected =
                parts.Where((_, part) => shown[part]).Select(static part => part.ToString());
            Assert.Equal(expected, item.Items.Skip(1).Select(static part => part.ToString()));
        }

        // Which of several places at one distance is shown is open, unless nothing is ordered.
        Assert.Equal(distances, actual);
        if (order == 0)
            Assert.Equal(places.Select(static place => place.Member).Take(actual.Count),
                reply.Items.Select(static item => item.Items.Count == 0 ? item.Text : item.Items[0].Text));
    }

    private void CheckStore(string[] where, PlaceSearch search, List<FoundPlace> all)
    {
        const string Stored = "stored";
        int count = Below(2) == 0 ? 0 : 1 + Below(20);
        bool isDistance = Below(2) == 0;
        List<string> options = isDistance ? ["STOREDIST"] : [];
        if (count > 0)
            options.AddRange(["COUNT", count.ToString(CultureInfo.InvariantCulture)]);
        long storedCount = Call(["GEOSEARCHSTORE", Stored, Key, .. where, .. options]).Integer;
        Assert.Equal(count > 0 ? Math.Min(count, all.Count) : all.Count, storedCount);
        IReadOnlyList<Reply> stored = Call("ZRANGE", Stored, "0", "-1", "WITHSCORES").Items;
        Assert.Equal(2 * storedCount, stored.Count);
        var byName = all.ToDictionary(static place => place.Member);
        List<double> distances = [];
        for (int index = 0; index < stored.Count; index += 2)
        {
            string member = stored[index].Text;
            Assert.True(byName.Remove(member, out FoundPlace? place));
            distances.Add(place.Distance.Double);
            double score = stored[index + 1].Double;
            if (isDistance)
                Assert.Equal(place.Distance.Double, score, DistanceStep);
            else
                Assert.Equal(_scores[member], score);
        }

        Assert.Equal(all.Select(static place => place.Distance.Double).Order().Take((int)storedCount),
            distances.Order());
    }
}

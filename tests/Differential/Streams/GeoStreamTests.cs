using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Random commands on places.</summary>
public sealed class GeoStreamTests
{
    private const double Seconds = 3;
    private const double LatitudeMax = 85.05112878;

    // Distances that were stored are no places; several may be at the same one, and then their order is open.
    // They go into a key in which nothing is searched.
    private const string Distances = "distances";

    // The least limit of listpacks, but 0.
    private const int LimitMin = 4;

    private static readonly string[] s_keys = ["g0", "g1", "g2", "g3"];
    private static readonly string[] s_units = ["m", "km", "ft", "MI", "Km"];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol) => Duel.Run(Seconds, protocol, duel =>
    {
        for (int count = 0; count < 30; count++)
            Step(duel);
        foreach (string key in s_keys.Append(Distances))
        {
            duel.Call("TYPE", key);
            if (duel.Call("OBJECT", "ENCODING", key).Text is "listpack" or "skiplist")
                Compare(duel, duel.Exchange("ZRANGE", key, "0", "-1", "WITHSCORES"));
        }
    },
    static (words, theirs, ours) => StreamDifferences.IsAllowed(
        isOld: true, words, theirs.ToString(), ours.ToString()));

    private static void Compare(Duel duel, (RespValue Redis, RespValue Ours) replies)
    {
        string[] theirs = [.. Texts(replies.Redis)];
        string[] ours = [.. Texts(replies.Ours)];
        int odd = Enumerable.Range(0, Math.Min(theirs.Length, ours.Length)).FirstOrDefault(
            index => theirs[index] != ours[index] && !AreSame(theirs[index], ours[index]), -1);
        if (theirs.Length != ours.Length) duel.Fail(replies.Redis.ToString(), replies.Ours.ToString());
        if (odd >= 0) duel.Fail($"[{odd}] {theirs[odd]}", ours[odd]);
    }

    // Scores and places have other texts in newer versions; those of 7.0 have 17 digits behind the point.
    private static bool AreSame(string theirs, string ours) =>
        double.TryParse(theirs, CultureInfo.InvariantCulture, out double first)
        && double.TryParse(ours, CultureInfo.InvariantCulture, out double second)
        && (first.Equals(second) || Math.Abs(first - second) <= 1e-17);

    private static IEnumerable<string> Texts(RespValue reply) =>
        reply.Items.Count == 0 ? [reply.Text] : reply.Items.SelectMany(Texts);

    internal static void Step(Duel duel)
    {
        string key = Key(duel);
        switch (duel.Random.Next(16))
        {
            case 0:
                duel.Call("DEL", key);
                break;
            case 1:
                duel.Call("SET", key, "text");
                break;
            case 2:
                duel.Call("CONFIG", "SET", "zset-max-listpack-entries",
                    duel.Pick(duel.IsOracleOld ? "128" : "0", $"{LimitMin}", "128"));
                break;
            case 3:
                // Scores that no place has. The order of two members at the same place is not
                // specified, so each score has its own member.
                string score = duel.Pick("-1", "1.5", "1e300", "4503599627370496");
                duel.Call("ZADD", key, score, score);
                break;
            case 4:
                duel.Call("GEODIST", key, Member(duel), Member(duel));
                duel.Call("GEODIST", key, Member(duel), Member(duel), Unit(duel));
                break;
            case 5:
                duel.Call(["GEOPOS", key, .. Members(duel)]);
                duel.Call(["GEOHASH", key, .. Members(duel)]);
                break;
            case 6 or 7 or 8:
                Search(duel, key);
                break;
            case 9 or 10:
                SearchCircle(duel, key);
                break;
            default:
                Add(duel, key);
                break;
        }
    }

    private static void Add(Duel duel, string key)
    {
        List<string> words = ["GEOADD", key];
        if (duel.Random.Next(3) == 0) words.Add(duel.Pick("NX", "xx", "CH", "foo"));
        if (duel.Random.Next(4) == 0) words.Add(duel.Pick("NX", "xx", "ch"));
        // Since Redis 7.2 more places than a listpack may have make a skiplist, also where these are the same
        // or are not added.
        List<string> members = [.. Enumerable.Range(0, duel.Random.Next(1, 12)).Select(_ => Member(duel))];
        if (duel.IsOracleOld && members.Count > LimitMin)
            members = [.. members.Distinct().Take(words.Contains("xx") ? LimitMin : members.Count)];
        foreach (string member in members)
            words.AddRange([.. Point(duel), member]);
        if (duel.Random.Next(30) == 0) words.Add("1");
        duel.Call([.. words]);
    }

    private static void Search(Duel duel, string key)
    {
        bool isStore = duel.Random.Next(3) == 0;
        bool isDistance = isStore && duel.Random.Next(2) == 0;
        string target = isDistance ? Distances : Key(duel);
        List<string> words = isStore ? ["GEOSEARCHSTORE", target, key] : ["GeoSearch", key];
        string[][] parts =
        [
            duel.Random.Next(2) == 0 ? ["FROMLONLAT", .. Point(duel)] : ["frommember", Member(duel)],
            duel.Random.Next(2) == 0
                ? ["BYRADIUS", Distance(duel), Unit(duel)]
                : ["bybox", Distance(duel), Distance(duel), Unit(duel)],
            Options(duel, isStore && duel.Random.Next(20) != 0),
            isDistance ? ["STOREDIST"] : [],
            duel.Random.Next(30) == 0
                ? [duel.Pick("store", isStore ? "with" : "storedist", "fromlonlat", "bybox", "x")]
                : [],
        ];
        if (duel.Random.Next(20) == 0) parts[duel.Random.Next(parts.Length)] = [];
        duel.Random.Shuffle(parts);
        words.AddRange(parts.SelectMany(static part => part));
        Call(duel, words);
    }

    private static void SearchCircle(Duel duel, string key)
    {
        bool isMember = duel.Random.Next(2) == 0;
        bool isReadOnly = duel.Random.Next(2) == 0;
        string name = isMember ? "GEORADIUSBYMEMBER" : "GEORADIUS";
        List<string> words = [isReadOnly ? name + "_RO" : name, key];
        words.AddRange(isMember ? [Member(duel)] : Point(duel));
        words.AddRange([Distance(duel), Unit(duel)]);
        bool isStore = duel.Random.Next(3) == 0;
        words.AddRange(Options(duel, isStore && duel.Random.Next(20) != 0));
        if (isStore) words.AddRange(Store(duel));
        if (isStore && duel.Random.Next(4) == 0) words.AddRange(Store(duel));
        if (duel.Random.Next(30) == 0) words.Add(duel.Pick("store", "withdist", "x"));
        Call(duel, words);
    }

    private static string[] Store(Duel duel) =>
        duel.Random.Next(2) == 0 ? ["STORE", Key(duel)] : ["storedist", Distances];

    private static void Call(Duel duel, List<string> words)
    {
        (RespValue theirs, RespValue ours) = duel.Exchange([.. words]);
        string expected = theirs.ToString();
        if (!StreamDifferences.IsAllowed(isOld: true, [.. words], expected, ours.ToString()))
            duel.Fail(expected, ours.ToString());
    }

    private static string[] Options(Duel duel, bool isStore)
    {
        List<string> words = [];
        if (duel.Random.Next(2) == 0) words.Add(duel.Pick("ASC", "desc"));
        if (duel.Random.Next(2) == 0)
        {
            words.AddRange(["COUNT", duel.Pick("1", "2", "5", "100", "0", "-1", "x")]);
            if (duel.Random.Next(3) == 0) words.Add("ANY");
        }

        if (duel.Random.Next(30) == 0) words.Add("any");
        if (isStore) return [.. words];
        if (duel.Random.Next(2) == 0) words.Add("WITHDIST");
        if (duel.Random.Next(2) == 0) words.Add("withcoord");
        if (duel.Random.Next(2) == 0) words.Add("WITHHASH");
        return [.. words];
    }

    private static string[] Point(Duel duel)
    {
        Random random = duel.Random;
        if (random.Next(60) == 0)
            return [duel.Pick("x", "181", "nan", "-inf", "1"), duel.Pick("y", "86", "-90", "1")];
        // Near one another; near and on the edges of the map, and on lines of the grid; anywhere. One of the
        // two is always drawn: the order of two members at the same place is not specified.
        double longitude = random.NextDouble() * 360 - 180;
        double latitude = random.NextDouble() * 170 - 85;
        int side = random.Next(2) * 2 - 1;
        (longitude, latitude) = random.Next(10) switch
        {
            < 4 => (13 + random.NextDouble(), 38 + random.NextDouble()),
            4 => (side * (180 - random.NextDouble() / 10), latitude),
            5 => (side * 180, latitude),
            6 => (longitude, side * (LatitudeMax - random.NextDouble() * 6)),
            7 => (longitude, side * LatitudeMax),
            8 when side == 1 => (random.Next(17) * 22.5 - 180, latitude),
            8 => (longitude, (random.Next(17) / 8.0 - 1) * LatitudeMax),
            _ => (longitude, latitude),
        };
        return [Text(longitude), Text(latitude)];
    }

    private static string Distance(Duel duel) => duel.Random.Next(20) switch
    {
        0 => duel.Pick("x", "-1", "nan", "inf", "0", "0x10", "1e300", "1e30"),
        // Where redis-server takes the next grid.
        1 or 2 => Text(20037726.37 / (1 << duel.Random.Next(24))),
        3 => Text(duel.Random.NextDouble() * 4e7),
        _ => Text(Math.Pow(2, duel.Random.NextDouble() * 26)),
    };

    private static string Unit(Duel duel) => duel.Random.Next(40) == 0 ? "yd" : duel.Pick(s_units);

    private static string Key(Duel duel) => duel.Random.Next(20) == 0 ? "missing" : duel.Pick(s_keys);

    private static string Member(Duel duel) => duel.Random.Next(60) == 0
        ? ""
        : (duel.Random.Next(2) == 0 ? "p" : "") + duel.Random.Next(40).ToString(CultureInfo.InvariantCulture);

    private static string[] Members(Duel duel) =>
        [.. Enumerable.Range(0, duel.Random.Next(4)).Select(_ => Member(duel))];

    private static string Text(double value) => value.ToString("R", CultureInfo.InvariantCulture);
}

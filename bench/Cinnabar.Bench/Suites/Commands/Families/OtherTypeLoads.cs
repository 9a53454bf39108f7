namespace Cinnabar.Bench.Suites.Commands.Families;

/// <summary>HyperLogLogs, and a thousand places on a map.</summary>
internal static class OtherTypeLoads
{
    private const string Near = "13.5 38.1 50 km COUNT 10";
    private const string NearMember = "place:500 50 km COUNT 10";

    /// <summary>All of them.</summary>
    public static CommandFamily All { get; } = new(
        [
            "PFADD p __key__", "PFADD few a b c",
            "EVAL \"for i=1,1000 do redis.call('GEOADD','geo',13+(i*37%1009)/1009,38+(i*53%1013)/1013,"
                + "'place:'..i) end\" 0",
        ],
        [
            new("pfadd", "PFADD p __key__"),
            new("pfcount", "PFCOUNT p"),
            new("pfmerge", "PFMERGE t p few"),
            new("geoadd", "GEOADD moving 13.5 38.1 __key__"),
            new("geopos", "GEOPOS geo place:500"),
            new("geodist", "GEODIST geo place:1 place:500"),
            new("geohash", "GEOHASH geo place:500"),
            new("geosearch", "GEOSEARCH geo FROMLONLAT 13.5 38.1 BYRADIUS 50 km COUNT 10"),
            new("geosearchstore", "GEOSEARCHSTORE t geo FROMLONLAT 13.5 38.1 BYRADIUS 50 km COUNT 10"),
            new("georadius", $"GEORADIUS geo {Near}"),
            new("georadius_ro", $"GEORADIUS_RO geo {Near}"),
            new("georadiusbymember", $"GEORADIUSBYMEMBER geo {NearMember}"),
            new("georadiusbymember_ro", $"GEORADIUSBYMEMBER_RO geo {NearMember}"),
        ]);
}

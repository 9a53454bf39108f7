using System.Linq;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Geo;

/// <summary>What searches for places declare, and BYPOLYGON, which is newer than the oracle.</summary>
public sealed class GeoSearchCommandsTests
{
    private const string Sicily = """
        GEOADD s 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
        GEOADD s 12.758489 38.788135 edge1 17.241510 38.788135 edge2 => :2
        """;

    private const string Polygon = "BYPOLYGON 5 12.41098696654226 38.05033923003755 15.107936245794182 "
        + "38.00616649901906 18.148439288534455 38.63804787603499 17.80831874257693 39.50316813110968 "
        + "12.458468633214036 38.57719533463012";

    /// <summary>Between these two there are 4265900.53925 meters, to the last bit of the product with ten
    /// thousand.</summary>
    [Fact]
    public void HalfOfTheLastDigitGoesToTheEvenOne() => DataCommands.Play("""
        ZADD g 1831813340444712 a 945726019287105 b => :2
        GEODIST g a b => $"4265900.5392"
        """);

    /// <summary>The examples of Valkey's documentation.</summary>
    [Fact]
    public void APolygonHoldsWhatIsInside() => DataCommands.Play($"""
        {Sicily}
        GEOSEARCH s {Polygon} => *[$"Palermo", $"edge2"]
        GEOSEARCH s {Polygon} DESC => *[$"edge2", $"Palermo"]
        GEOSEARCH s {Polygon} ASC WITHDIST => *[*[$"Palermo", $"166482.0159"], *[$"edge2", $"180861.7725"]]
        GEOSEARCH s {Polygon} COUNT 1 => *[$"Palermo"]
        GEOSEARCHSTORE d s {Polygon} STOREDIST => :2
        GEODIST d Palermo Palermo => $"0.0000"
        GEOSEARCH missing {Polygon} => *[]
        """);

    /// <summary>The mean of the corners of a band around the map is on its edge, and of those around a pole
    /// beyond it.</summary>
    [Fact]
    public void APolygonAsWideAsTheMapHoldsAllThatIsInside() => DataCommands.Play("""
        GEOADD s -170 5 a -20 -5 b 20 5 c 170 -5 d -90 40 north 5 -60 south 60 84 pole => :7
        GEOSEARCHSTORE d s BYPOLYGON 4 180 -10 -180 -10 -180 10 180 10 => :4
        ZRANGE d 0 -1 => *[$"b", $"a", $"d", $"c"]
        GEOSEARCHSTORE d s BYPOLYGON 4 -180 -10 180 -10 180 10 -180 10 => :4
        GEOSEARCHSTORE d s BYPOLYGON 4 180 -85 -180 -85 -180 85 180 85 => :7
        GEOSEARCHSTORE d s BYPOLYGON 4 -120 85 0 -85 120 85 0 85 => :4
        ZRANGE d 0 -1 => *[$"b", $"south", $"c", $"pole"]
        """);

    /// <summary>What a place costs depends on the number of the polygon's sides.</summary>
    [Fact]
    public void APolygonOfManySidesIsSearchedInTheSlowLane()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int place = 0; place < 50; place++) harness.Run($"GEOADD s {place / 100.0} 0 p{place}");
        string corners = string.Concat(Enumerable.Repeat(" -1 -1 1 -1 1 1 -1 1", 5_000));
        Assert.StartsWith("*50\r\n", harness.Run("GEOSEARCH s BYPOLYGON 4 -1 -1 1 -1 1 1 -1 1"));
        Assert.Equal(0, harness.SlowLaneCount);
        Assert.StartsWith("*0\r\n", harness.Run($"GEOSEARCH s BYPOLYGON 20000{corners}"));
        Assert.Equal(1, harness.SlowLaneCount);
    }

    [Fact]
    public void APolygonIsReadAsDocumented() => DataCommands.Play($"""
        {Sicily}
        GEOSEARCH s BYPOLYGON 2 1 2 3 4 ASC => -ERR GEOSEARCH BYPOLYGON must have at least 3 vertices
        GEOSEARCH s BYPOLYGON x 1 2 3 4 5 6 => -ERR invalid number of vertices
        GEOSEARCH s BYPOLYGON 4 1 2 3 4 5 6 => -ERR GEOSEARCH BYPOLYGON must have at least 3 vertices
        GEOSEARCH s BYPOLYGON 3 => -ERR syntax error
        GEOSEARCH s BYPOLYGON 3 1 2 3 4 5 86 => -ERR invalid longitude,latitude pair 5.000000,86.000000
        GEOSEARCH s BYPOLYGON 3 1 2 3 4 5 x => -ERR value is not a valid float
        GEOSEARCH s FROMMEMBER Palermo {Polygon} => -ERR syntax error
        GEOSEARCH s {Polygon} FROMLONLAT 1 2 => -ERR syntax error
        GEOSEARCH s {Polygon} {Polygon} => -ERR syntax error
        GEOSEARCH s {Polygon} BYRADIUS 1 m => -ERR syntax error
        GEOSEARCH s {Polygon} COUNT 0 => -ERR COUNT must be > 0
        GEOSEARCH s {Polygon} ANY => -ERR the ANY argument requires COUNT argument
        GEOSEARCH s FROMLONLAT 1 2 ASC ASC
        => -ERR exactly one of BYRADIUS and BYBOX can be specified for GEOSEARCH
        GEORADIUS s 15 37 200 km {Polygon} => -ERR syntax error
        """);

    [Fact]
    public void ChangesAreDeclared() => DataCommands.Play($"""
        {Sicily}
        @changes => 2
        @events => ZAdd s, ZAdd s
        GEOADD s XX CH 13 38 Palermo 1 1 none 15.087269 37.502669 Catania => :1
        @changes => 1
        GEOADD s NX 14 38 Palermo 1 1 one => :1
        GEOADD s XX 1 1 none => :0
        @changes => 0
        GEOADD missing XX 1 1 none => :0
        EXISTS missing => :0
        @events => ZAdd s, ZAdd s
        GEOSEARCHSTORE d s FROMLONLAT 15 37 BYRADIUS 200 km => :1
        @changes => 1
        @events => GeoSearchStore d
        GEORADIUS s 15 37 400 km STORE d => :4
        @changes => 4
        @events => GeoRadiusStore d
        GEORADIUS s 100 37 1 km STORE d => :0
        @changes => 1
        @events => Deleted d
        GEORADIUSBYMEMBER missing x 1 km STORE d => :0
        @changes => 0
        @events =>
        GEOSEARCHSTORE s s FROMMEMBER one BYBOX 1 1 m => :1
        GEOPOS s Palermo one => *[*-1, *[$"0.9999999403953552", $"0.9999994591429768"]]
        """);
}

// Geohash: a place on Earth as a number of 52 bits, so that a sorted set can hold places, and places near
// each other usually have numbers near each other.
//
// Longitude and latitude are each scaled to 26 bits, and their bits interleaved: the longitude's are the odd
// ones, the latitude's the even ones. Cut off at the end, 2 bits at a time, such a number is a cell of a grid
// with four times as large cells (GeoCell); all places of a cell have numbers of one range. A search takes
// the few cells that cover a shape (GeoCover), reads their ranges from the sorted set, and tests each place
// (GeoShape).
//
//      latitude    85.05 N +-----+-----+        bits of a cell after one step:
//                          | 01  | 11  |        longitude, latitude
//                        0 +-----+-----+
//                          | 00  | 10  |        after two steps each is divided into four again, and so on,
//                  85.05 S +-----+-----+        to 26 steps: 0.6 m by 0.3 m at the equator
//                      180 W     0     180 E
//
// The latitudes are those of the Web Mercator projection, as in Redis; a square of the map is a cell. The
// text of GEOHASH is the one of geohash.org, whose latitudes go from -90 to 90: so the number is decoded and
// encoded again. 52 bits are ten characters of 5 bits and a bit more; the eleventh is always "0", as in
// Redis.
//
// All arithmetic is in doubles in the order in which redis-server does it, since the last bit decides which
// cell a place is in, and shows in GEOPOS. Limits: places beyond the latitudes above cannot be stored; shapes
// across the 180th meridian find what is in the cells there, since cells wrap around. Sources: G. Niemeyer,
// geohash.org, 2008; G. M. Morton, "A computer oriented geodetic data base", 1966.

namespace Cinnabar.Structures.Geo;

/// <summary>Places as numbers of 52 bits, and as text.</summary>
public static class Geohash
{
    /// <summary>The largest longitude, degrees; the smallest is its negative.</summary>
    public const double LongitudeMax = 180;

    /// <summary>The largest latitude, degrees; the smallest is its negative.</summary>
    public const double LatitudeMax = 85.05112878;

    /// <summary>Characters of a geohash as text.</summary>
    public const int TextLength = 11;

    /// <summary>Bits of each of the two coordinates.</summary>
    internal const int StepsMax = 26;

    private const double TextLatitudeMax = 90;
    private const int BitsPerCharacter = 5;

    private static ReadOnlySpan<byte> Alphabet => "0123456789bcdefghjkmnpqrstuvwxyz"u8;

    /// <summary>Whether a place can be encoded.</summary>
    public static bool IsInRange(GeoPoint point) =>
        point.Longitude is >= -LongitudeMax and <= LongitudeMax
        && point.Latitude is >= -LatitudeMax and <= LatitudeMax;

    /// <summary>The number of a place in range: a sorted set's score.</summary>
    public static ulong Encode(GeoPoint point) => Encode(point, StepsMax, LatitudeMax);

    /// <summary>The middle of the cell with this number.</summary>
    public static GeoPoint Decode(ulong geohash)
    {
        GeoBounds bounds = new GeoCell(geohash, StepsMax).Bounds;
        double longitude = (bounds.LongitudeMin + bounds.LongitudeMax) / 2;
        double latitude = (bounds.LatitudeMin + bounds.LatitudeMax) / 2;
        return new GeoPoint(
            Math.Clamp(longitude, -LongitudeMax, LongitudeMax),
            Math.Clamp(latitude, -LatitudeMax, LatitudeMax));
    }

    /// <summary>Writes the text of geohash.org for a number.</summary>
    /// <param name="geohash">The number.</param>
    /// <param name="text">At least <see cref="TextLength"/> bytes.</param>
    public static void WriteText(ulong geohash, Span<byte> text)
    {
        ulong bits = Encode(Decode(geohash), StepsMax, TextLatitudeMax);
        for (int index = 0; index < TextLength - 1; index++)
        {
            int shift = 2 * StepsMax - (index + 1) * BitsPerCharacter;
            text[index] = Alphabet[(int)(bits >> shift) & 0x1F];
        }
        text[TextLength - 1] = Alphabet[0];
    }

    /// <summary>The number of a place after some steps.</summary>
    internal static ulong Encode(GeoPoint point, int steps, double latitudeMax)
    {
        double x = (point.Longitude + LongitudeMax) / (LongitudeMax + LongitudeMax) * (1UL << steps);
        double y = (point.Latitude + latitudeMax) / (latitudeMax + latitudeMax) * (1UL << steps);
        return Interleave((uint)x, (uint)y);
    }

    /// <summary>The bits of x at the odd places, those of y at the even ones.</summary>
    internal static ulong Interleave(uint x, uint y) => Spread(x) << 1 | Spread(y);

    /// <summary>The bits at the even places, together.</summary>
    internal static uint Gather(ulong bits)
    {
        bits &= 0x5555555555555555;
        bits = (bits | bits >> 1) & 0x3333333333333333;
        bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F;
        bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
        bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
        return (uint)(bits | bits >> 16);
    }

    private static ulong Spread(ulong bits)
    {
        bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
        bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
        bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
        bits = (bits | bits << 2) & 0x3333333333333333;
        return (bits | bits << 1) & 0x5555555555555555;
    }
}

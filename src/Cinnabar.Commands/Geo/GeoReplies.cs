using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Places and distances in Redis's form.</summary>
internal static class GeoReplies
{
    private const double DistanceParts = 10_000;

    /// <summary>Replies longitude and latitude, both as the shortest text that reads back.</summary>
    internal static void ReplyPoint(ref ReplyWriter reply, GeoPoint point)
    {
        reply.ArrayHeader(2);
        reply.Double(point.Longitude);
        reply.Double(point.Latitude);
    }

    /// <summary>Replies a distance with four digits behind the point, as a bulk string in both protocols. A
    /// half of the last one goes to the even digit, as in Redis, which leaves that to the
    /// processor.</summary>
    internal static void ReplyDistance(ref ReplyWriter reply, double distance)
    {
        Debug.Assert(!(distance < 0), "a distance has no sign");
        long parts = (long)Math.Round(distance * DistanceParts, MidpointRounding.ToEven);
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax + 1];
        (long whole, long fraction) = Math.DivRem(parts, (long)DistanceParts);
        int length = RedisNumber.FormatInt64(whole, text);
        text[length++] = (byte)'.';
        for (long unit = (long)DistanceParts / 10; unit > 0; unit /= 10)
            text[length++] = (byte)('0' + (fraction / unit % 10));
        reply.Bulk(text[..length]);
    }
}

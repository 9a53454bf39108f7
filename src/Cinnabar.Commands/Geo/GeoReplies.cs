using System;
using System.Diagnostics;
using System.Globalization;
using Cinnabar.Resp;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Places and distances as Redis tells them.</summary>
internal static class GeoReplies
{
    private const int FractionDigits = 17;
    private const int CoordinateSizeMax = 32;
    private const double DistanceParts = 10_000;

    /// <summary>Replies longitude and latitude, both with as many as 17 digits behind the point.</summary>
    internal static void ReplyPoint(ref ReplyWriter reply, GeoPoint point)
    {
        reply.ArrayHeader(2);
        ReplyCoordinate(ref reply, point.Longitude);
        ReplyCoordinate(ref reply, point.Latitude);
    }

    /// <summary>Replies a distance with four digits behind the point, as a bulk string in both
    /// protocols.</summary>
    internal static void ReplyDistance(ref ReplyWriter reply, double distance)
    {
        long parts = (long)Math.Round(distance * DistanceParts, MidpointRounding.AwayFromZero);
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax + 1];
        (long whole, long fraction) = Math.DivRem(parts, (long)DistanceParts);
        int length = RedisNumber.FormatInt64(whole, text);
        text[length++] = (byte)'.';
        for (long unit = (long)DistanceParts / 10; unit > 0; unit /= 10)
            text[length++] = (byte)('0' + (fraction / unit % 10));
        reply.Bulk(text[..length]);
    }

    private static void ReplyCoordinate(ref ReplyWriter reply, double degrees)
    {
        Span<byte> text = stackalloc byte[CoordinateSizeMax];
        bool isWritten = degrees.TryFormat(text, out int length, "F17", CultureInfo.InvariantCulture);
        Debug.Assert(isWritten && length > FractionDigits, "three digits, a point, and 17 more");
        while (text[length - 1] == (byte)'0')
            length--;
        if (text[length - 1] == (byte)'.')
            length--;
        reply.DoubleText(text[..length].SequenceEqual("-0"u8) ? "0"u8 : text[..length]);
    }
}

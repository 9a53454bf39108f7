using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Reads places and distances from arguments, or replies Redis's errors.</summary>
internal static class GeoArguments
{
    /// <summary>Reads a longitude and, in the next argument, a latitude.</summary>
    internal static bool TryReadPoint(Execution execution, int index, out GeoPoint point)
    {
        point = default;
        if (!TryReadNumber(execution, index, Errors.NotFloat, out double longitude)
            || !TryReadNumber(execution, index + 1, Errors.NotFloat, out double latitude))
            return false;
        point = new GeoPoint(longitude, latitude);
        if (Geohash.IsInRange(point))
            return true;
        execution.Reply.Error(Encoding.ASCII.GetBytes(
            $"ERR invalid longitude,latitude pair {Shown(longitude)},{Shown(latitude)}"));
        return false;
    }

    /// <summary>Reads a radius and, in the next argument, its unit.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The argument of the radius.</param>
    /// <param name="radius">Meters.</param>
    /// <param name="unit">What one of the unit is in meters.</param>
    internal static bool TryReadRadius(Execution execution, int index, out double radius, out double unit)
    {
        unit = 0;
        if (!TryReadNumber(execution, index, "ERR need numeric radius"u8, out radius))
            return false;
        if (radius < 0)
        {
            execution.Reply.Error("ERR radius cannot be negative"u8);
            return false;
        }

        bool isRead = GeoUnit.TryRead(execution, index + 1, out unit);
        radius *= unit;
        return isRead;
    }

    /// <summary>Reads a width, a height and their unit.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The argument of the width.</param>
    /// <param name="size">Meters.</param>
    /// <param name="unit">What one of the unit is in meters.</param>
    internal static bool TryReadBox(
        Execution execution, int index, out (double Width, double Height) size, out double unit)
    {
        unit = 0;
        size = default;
        if (!TryReadNumber(execution, index, "ERR need numeric width"u8, out double width)
            || !TryReadNumber(execution, index + 1, "ERR need numeric height"u8, out double height))
            return false;
        if (width < 0 || height < 0)
        {
            execution.Reply.Error("ERR height or width cannot be negative"u8);
            return false;
        }

        bool isRead = GeoUnit.TryRead(execution, index + 2, out unit);
        size = (width * unit, height * unit);
        return isRead;
    }

    private static bool TryReadNumber(
        Execution execution, int index, ReadOnlySpan<byte> error, out double number)
    {
        if (RedisNumber.TryParseDouble(execution.Argument(index), out number))
            return true;
        execution.Reply.Error(error);
        return false;
    }

    // As C's "%f".
    private static string Shown(double number) => double.IsFinite(number)
        ? number.ToString("F6", CultureInfo.InvariantCulture)
        : number > 0 ? "inf" : "-inf";
}

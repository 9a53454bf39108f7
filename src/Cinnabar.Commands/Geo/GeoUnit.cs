namespace Cinnabar.Commands.Geo;

/// <summary>Units of distances.</summary>
internal static class GeoUnit
{
    /// <summary>Reads a unit, or replies Redis's error.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The argument.</param>
    /// <param name="meters">What one of the unit is in meters.</param>
    internal static bool TryRead(Execution execution, int index, out double meters)
    {
        meters = execution.Is(index, "m"u8) ? 1
            : execution.Is(index, "km"u8) ? 1000
            : execution.Is(index, "ft"u8) ? 0.3048
            : execution.Is(index, "mi"u8) ? 1609.34
            : 0;
        if (meters != 0)
            return true;
        execution.Reply.Error("ERR unsupported unit provided. please use M, KM, FT, MI"u8);
        return false;
    }
}

namespace Cinnabar.Structures.Geo;

/// <summary>What is searched.</summary>
public enum GeoShapeKind
{
    /// <summary>All places up to a distance from a center.</summary>
    Circle,

    /// <summary>All places up to a distance to the east and west, and another to the north and
    /// south.</summary>
    Box,

    /// <summary>All places within straight lines on the map between vertices.</summary>
    Polygon,
}

namespace Cinnabar.Commands.Geo;

/// <summary>How a search names its place.</summary>
internal enum GeoFormKind : byte
{
    /// <summary>GEORADIUS: coordinates and a radius.</summary>
    Circle,

    /// <summary>GEORADIUSBYMEMBER: a member and a radius.</summary>
    Member,

    /// <summary>GEOSEARCH: options.</summary>
    Search,
}

namespace Cinnabar.Commands.Geo;

/// <summary>Where the center of a search comes from.</summary>
internal enum GeoOrigin
{
    /// <summary>Not known, or the shape has its own.</summary>
    None,

    /// <summary>It is the place of a member.</summary>
    Member,

    /// <summary>It is given as longitude and latitude.</summary>
    Coordinates,
}

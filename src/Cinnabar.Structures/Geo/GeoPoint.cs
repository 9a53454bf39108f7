namespace Cinnabar.Structures.Geo;

/// <summary>A place.</summary>
/// <param name="Longitude">Degrees, positive to the east.</param>
/// <param name="Latitude">Degrees, positive to the north.</param>
public readonly record struct GeoPoint(double Longitude, double Latitude);

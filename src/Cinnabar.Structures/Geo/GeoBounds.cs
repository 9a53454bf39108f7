namespace Cinnabar.Structures.Geo;

/// <summary>A rectangle of the map, in degrees.</summary>
/// <param name="LongitudeMin">Its west.</param>
/// <param name="LatitudeMin">Its south.</param>
/// <param name="LongitudeMax">Its east.</param>
/// <param name="LatitudeMax">Its north.</param>
public readonly record struct GeoBounds(
    double LongitudeMin, double LatitudeMin, double LongitudeMax, double LatitudeMax)
{
    /// <summary>Whether a place is in it or on its edge.</summary>
    public bool Contains(GeoPoint place) =>
        place.Longitude >= LongitudeMin && place.Longitude <= LongitudeMax
        && place.Latitude >= LatitudeMin && place.Latitude <= LatitudeMax;
}

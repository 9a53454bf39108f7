using System;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Property.Fuzzing;

namespace Cinnabar.Tests.Property.Structures.Geo;

/// <summary>Random places: near others, on lines of the grid, at the edges of the map, anywhere.</summary>
internal sealed class PlaceDraws(Draws draws)
{
    // Degrees: 360 and twice the largest latitude, halved again and again.
    private const int HalvingsMax = 26;
    private const int LinesOnMap = 16;

    private GeoPoint _near = new(13, 38);

    /// <summary>A place of the map.</summary>
    public GeoPoint Next()
    {
        _near = draws.Below(4) switch
        {
            0 => new GeoPoint(AnyOf(180), AnyOf(NaiveMap.LatitudeMax)),
            1 => new GeoPoint(LineOf(180), LineOf(NaiveMap.LatitudeMax)),
            _ => new GeoPoint(NearTo(_near.Longitude, 180), NearTo(_near.Latitude, NaiveMap.LatitudeMax)),
        };
        return _near;
    }

    /// <summary>What lies near comes near this.</summary>
    public void StandAt(GeoPoint place) => _near = place;

    /// <summary>At least three places, the corners of a polygon: of a frame, around a pole or a middle, or as
    /// it comes.</summary>
    public GeoPoint[] Corners()
    {
        GeoPoint a = Next();
        GeoPoint b = Next();
        switch (draws.Below(4))
        {
            case 0:
                return [a, a with { Longitude = b.Longitude }, b, b with { Longitude = a.Longitude }];
            case 1:
                return Around(a);
            case 2:
                return [a, b, Next()];
            default:
                GeoPoint[] corners = new GeoPoint[3 + draws.Below(12)];
                foreach (ref GeoPoint corner in corners.AsSpan())
                    corner = Next();
                return corners;
        }
    }

    // All around the map at about one latitude, and then along its edge or not.
    private GeoPoint[] Around(GeoPoint place)
    {
        int count = 3 + draws.Below(6);
        int edge = draws.Below(3);
        GeoPoint[] corners = new GeoPoint[count + (edge == 0 ? 0 : 2)];
        for (int corner = 0; corner < count; corner++)
        {
            double longitude = corner == count - 1 ? 180 : -180 + 360.0 * corner / (count - 1);
            corners[corner] = new GeoPoint(longitude, NearTo(place.Latitude, NaiveMap.LatitudeMax));
        }

        if (edge == 0)
            return corners;
        double latitude = edge == 1 ? NaiveMap.LatitudeMax : -NaiveMap.LatitudeMax;
        corners[^2] = new GeoPoint(180, latitude);
        corners[^1] = new GeoPoint(-180, latitude);
        return corners;
    }

    private double AnyOf(double max) => draws.Below(8) switch
    {
        0 => max,
        1 => -max,
        _ => (2 * draws.Below(1 << 16) / (double)(1 << 16) - 1) * max,
    };

    private double LineOf(double max) =>
        Math.Clamp((2 * draws.Below(LinesOnMap + 1) / (double)LinesOnMap - 1) * max, -max, max);

    private double NearTo(double value, double max)
    {
        double width = 2 * max / (1L << draws.Below(HalvingsMax));
        double moved = value + (draws.Below(256) / 128.0 - 1) * width;
        return Math.Clamp(moved, -max, max);
    }
}

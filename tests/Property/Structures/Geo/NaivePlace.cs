namespace Cinnabar.Tests.Property.Structures.Geo;

/// <summary>Where a place is, seen from a shape.</summary>
internal enum NaivePlace
{
    Outside,

    /// <summary>So near to the edge that rounding decides.</summary>
    OnEdge,

    Inside,
}

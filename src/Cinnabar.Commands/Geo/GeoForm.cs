namespace Cinnabar.Commands.Geo;

/// <summary>What the name of a search says of its arguments.</summary>
/// <param name="Kind">How the place is named.</param>
/// <param name="KeyIndex">The argument that is searched.</param>
/// <param name="MayStore">Whether STORE and STOREDIST with a key are options.</param>
internal readonly record struct GeoForm(GeoFormKind Kind, int KeyIndex, bool MayStore);

using Cinnabar.Resp;

namespace Cinnabar.Tests.Property.Commands;

/// <summary>A place as GEOSEARCH shows it with all options.</summary>
/// <param name="Member">Its name.</param>
/// <param name="Distance">WITHDIST: in the search's unit.</param>
/// <param name="Hash">WITHHASH.</param>
/// <param name="Point">WITHCOORD.</param>
internal sealed record FoundPlace(string Member, Reply Distance, Reply Hash, Reply Point)
{
    /// <summary>Reads an item of a reply.</summary>
    public static FoundPlace Of(Reply item) =>
        new(item.Items[0].Text, item.Items[1], item.Items[2], item.Items[3]);
}

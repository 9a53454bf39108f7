namespace Cinnabar.Engine.Debugging;

/// <summary>Visits the items of a collection part by part: see <see cref="ValueParts"/>.</summary>
internal interface IValueVisitor
{
    /// <summary>Visits a part of an item; its bytes are valid until the return.</summary>
    void VisitPart(ReadOnlySpan<byte> part);

    /// <summary>The item has no more parts.</summary>
    void EndItem();
}

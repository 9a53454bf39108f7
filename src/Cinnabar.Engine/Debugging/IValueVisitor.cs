using System;

namespace Cinnabar.Engine.Debugging;

/// <summary>Is shown the items of a collection part by part: see <see cref="ValueParts"/>.</summary>
internal interface IValueVisitor
{
    /// <summary>Shows a part of an item; its bytes are good until the return.</summary>
    void VisitPart(ReadOnlySpan<byte> part);

    /// <summary>The item has no more parts.</summary>
    void EndItem();
}

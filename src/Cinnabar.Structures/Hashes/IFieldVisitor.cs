namespace Cinnabar.Structures.Hashes;

/// <summary>Is shown the fields that a scan comes by. A struct, so that calls are bound at compile
/// time.</summary>
public interface IFieldVisitor
{
    /// <summary>Shows a field; its spans are good until the collection changes.</summary>
    void Visit(in HashField field);
}

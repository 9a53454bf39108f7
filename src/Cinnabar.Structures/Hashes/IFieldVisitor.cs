namespace Cinnabar.Structures.Hashes;

/// <summary>Receives the fields that a scan visits. A struct, so that calls are bound at compile
/// time.</summary>
public interface IFieldVisitor
{
    /// <summary>Receives a field; its spans are valid until the collection changes.</summary>
    void Visit(in HashField field);
}

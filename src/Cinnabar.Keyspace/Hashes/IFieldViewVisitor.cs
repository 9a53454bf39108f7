namespace Cinnabar.Keyspace.Hashes;

/// <summary>Receives the fields that a scan of a hash visits.</summary>
public interface IFieldViewVisitor
{
    /// <summary>Receives a field, which is valid until the hash changes.</summary>
    void Visit(in FieldView field);
}

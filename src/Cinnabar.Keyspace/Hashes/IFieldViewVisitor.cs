namespace Cinnabar.Keyspace.Hashes;

/// <summary>Is shown the fields that a scan of a hash comes by.</summary>
public interface IFieldViewVisitor
{
    /// <summary>Shows a field; it is good until the hash changes.</summary>
    void Visit(in FieldView field);
}

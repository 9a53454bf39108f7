using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Receives keys from a walk over a database. Implemented by structs, so that no walk
/// allocates.</summary>
public interface IKeyVisitor
{
    /// <summary>Called once a key. It must not change the key space.</summary>
    void Visit(EntryView entry);
}

namespace Cinnabar.Structures.Tables;

/// <summary>Receives entries from a walk over a table. Implemented by structs, so that no walk
/// allocates.</summary>
public interface IEntryVisitor
{
    /// <summary>Called once per entry. It must not change the table that is being walked.</summary>
    unsafe void Visit(byte* entry);
}

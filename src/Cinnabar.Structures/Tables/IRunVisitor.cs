namespace Cinnabar.Structures.Tables;

/// <summary>Receives entries from a table until it has enough.</summary>
public interface IRunVisitor : IEntryVisitor
{
    /// <summary>Whether it wants the entries of another bucket.</summary>
    bool WantsMore { get; }
}

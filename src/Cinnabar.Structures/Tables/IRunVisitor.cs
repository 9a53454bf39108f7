namespace Cinnabar.Structures.Tables;

/// <summary>Receives entries from a table until it has enough.</summary>
public interface IRunVisitor : IEntryVisitor
{
    /// <summary>Whether it wants another entry.</summary>
    bool WantsMore { get; }
}

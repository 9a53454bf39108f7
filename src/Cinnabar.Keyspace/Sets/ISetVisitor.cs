namespace Cinnabar.Keyspace.Sets;

/// <summary>Is shown members of a set. A struct, so that calls are bound at compile time.</summary>
public interface ISetVisitor
{
    /// <summary>Shows a member, which is valid until the set changes.</summary>
    void Visit(in SetMember member);
}

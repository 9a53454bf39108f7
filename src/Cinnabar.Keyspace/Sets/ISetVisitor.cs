namespace Cinnabar.Keyspace.Sets;

/// <summary>Receives members of a set. A struct, so that calls are bound at compile time.</summary>
public interface ISetVisitor
{
    /// <summary>Receives a member, which is valid until the set changes.</summary>
    void Visit(in SetMember member);
}

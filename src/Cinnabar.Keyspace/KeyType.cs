namespace Cinnabar.Keyspace;

/// <summary>The data type of a key's value, in the numbers that an entry's header stores.</summary>
public enum KeyType : byte
{
    /// <summary>A byte string.</summary>
    String = 0,
}

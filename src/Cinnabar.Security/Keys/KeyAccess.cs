namespace Cinnabar.Security.Keys;

/// <summary>What a command does to the data of a key.</summary>
[Flags]
public enum KeyAccess
{
    /// <summary>Neither: it looks whether the key exists, or at its type.</summary>
    None = 0,

    /// <summary>Reads, copies or returns the data.</summary>
    Read = 1,

    /// <summary>Changes, adds or deletes data.</summary>
    Write = 2,

    /// <summary>Both.</summary>
    ReadWrite = Read | Write,
}

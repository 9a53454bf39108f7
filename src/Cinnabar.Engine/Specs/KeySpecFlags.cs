namespace Cinnabar.Engine.Specs;

/// <summary>What a command does to the keys of a key spec; names and order are Redis's. The last ones say
/// what the arguments of an access spec are.</summary>
[Flags]
public enum KeySpecFlags : ushort
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Reads the entry.</summary>
    RO = 1 << 0,

    /// <summary>Reads and changes the entry.</summary>
    RW = 1 << 1,

    /// <summary>Overwrites the entry whatever it was.</summary>
    OW = 1 << 2,

    /// <summary>Removes the entry.</summary>
    RM = 1 << 3,

    /// <summary>The user's data are returned, copied or looked at.</summary>
    Access = 1 << 4,

    /// <summary>The user's data are changed.</summary>
    Update = 1 << 5,

    /// <summary>Data are added, none changed or deleted.</summary>
    Insert = 1 << 6,

    /// <summary>Data are deleted explicitly.</summary>
    Delete = 1 << 7,

    /// <summary>It looks like a key and is none, but decides the slot.</summary>
    NotKey = 1 << 8,

    /// <summary>The spec may miss keys.</summary>
    Incomplete = 1 << 9,

    /// <summary>The other flags depend on the arguments.</summary>
    VariableFlags = 1 << 10,

    /// <summary>The names are channels.</summary>
    Channel = 1 << 11,

    /// <summary>The channels are patterns.</summary>
    Pattern = 1 << 12,

    /// <summary>The numbers are databases.</summary>
    Database = 1 << 13,
}

namespace Cinnabar.Persistence.Rdb;

/// <summary>Whose numbers a file uses where they differ: the type 22 and the opcode 243.</summary>
public enum RdbDialect
{
    /// <summary>Redis, and Valkey up to 8.1.</summary>
    Redis,

    /// <summary>Valkey from 9 on.</summary>
    Valkey,
}

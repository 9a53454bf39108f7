namespace Cinnabar.Keyspace;

/// <summary>What happened to a key: the keyspace events of Redis.</summary>
public enum KeyEvent : byte
{
    /// <summary>A string was stored.</summary>
    Set,

    /// <summary>A command removed the key.</summary>
    Deleted,

    /// <summary>The key's deadline passed and it was removed.</summary>
    Expired,

    /// <summary>A deadline was set.</summary>
    Expire,

    /// <summary>The deadline was removed.</summary>
    Persist,

    /// <summary>Bytes were appended.</summary>
    Append,

    /// <summary>Bytes were overwritten.</summary>
    SetRange,

    /// <summary>An integer was added.</summary>
    IncrementBy,

    /// <summary>A floating-point number was added.</summary>
    IncrementByFloat,

    /// <summary>Bits were written.</summary>
    SetBit,

    /// <summary>The key went to another name.</summary>
    RenamedFrom,

    /// <summary>The key came from another name.</summary>
    RenamedTo,

    /// <summary>The key went to another database.</summary>
    MovedFrom,

    /// <summary>The key came from another database.</summary>
    MovedTo,

    /// <summary>The key was made by copying another.</summary>
    CopiedTo,
}

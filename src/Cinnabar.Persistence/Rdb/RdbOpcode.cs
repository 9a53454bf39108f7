namespace Cinnabar.Persistence.Rdb;

/// <summary>What stands between the keys of a file, in place of a type: the highest bytes.</summary>
public enum RdbOpcode : byte
{
    /// <summary>Redis 8.6: metadata of modules for the next key: count; for each a class of four bytes and a
    /// module's value. Valkey 9: a slot import (<see cref="SlotImport"/>).</summary>
    KeyMetadata = 243,

    /// <summary>Valkey 9's meaning of 243: the import of slots under way: name, count, pairs of
    /// slots.</summary>
    SlotImport = 243,

    /// <summary>Cluster: a slot, its number of keys and of keys with deadline. A hint.</summary>
    SlotInfo = 244,

    /// <summary>The code of a library of functions.</summary>
    Function2 = 245,

    /// <summary>A library of Redis 7.0's release candidates.</summary>
    FunctionPreGa = 246,

    /// <summary>Data of a module that belongs to no key.</summary>
    ModuleAux = 247,

    /// <summary>Seconds since the next key was used.</summary>
    Idle = 248,

    /// <summary>The LFU counter of the next key: one byte.</summary>
    Frequency = 249,

    /// <summary>A name and a value that say something of the file.</summary>
    Aux = 250,

    /// <summary>The number of keys and of keys with deadline in the database. A hint.</summary>
    ResizeDatabase = 251,

    /// <summary>The next key's deadline, Unix milliseconds: eight bytes.</summary>
    ExpireTimeMs = 252,

    /// <summary>The next key's deadline, Unix seconds: four bytes.</summary>
    ExpireTime = 253,

    /// <summary>The number of the database that the next keys are in.</summary>
    SelectDatabase = 254,

    /// <summary>The end; eight bytes of CRC64 follow from version 5 on.</summary>
    End = 255,
}

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>What one item of a file is.</summary>
public enum RdbItemKind
{
    /// <summary>A key; its value follows.</summary>
    Key,

    /// <summary>A field that describes the file: a name and a text.</summary>
    Aux,

    /// <summary>The number of the database that the next keys are in.</summary>
    SelectDatabase,

    /// <summary>The number of keys, and of keys with a deadline, in the database.</summary>
    ResizeDatabase,

    /// <summary>A slot of a cluster, or an import of slots that was under way: of no use here.</summary>
    Slot,

    /// <summary>The code of a library of functions.</summary>
    Function,

    /// <summary>Data of a module that belong to no key.</summary>
    ModuleAux,

    /// <summary>The end of the file but for the checksum.</summary>
    End,
}

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>An item of a file: what <see cref="RdbItemReader"/> has read last.</summary>
public ref struct RdbItem
{
    /// <summary>What it is.</summary>
    public RdbItemKind Kind;

    /// <summary>Of a key: how its value is written.</summary>
    public RdbType Type;

    /// <summary>Of a key: where in the bytes its name begins.</summary>
    public int NamePosition;

    /// <summary>The key; the name of a field; the code of a library.</summary>
    public RdbString Name;

    /// <summary>The text of a field.</summary>
    public RdbString Text;

    /// <summary>A database; a number of keys; the ID of a module.</summary>
    public ulong Number;
}

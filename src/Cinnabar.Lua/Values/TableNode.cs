namespace Cinnabar.Lua.Values;

/// <summary>A pair in the hash part of a <see cref="LuaTable"/>, and the head of one chain.</summary>
internal struct TableNode
{
    /// <summary>Bytes of a node.</summary>
    public const int Size = 40;

    public LuaValue Key;

    /// <summary>nil: the pair was removed; its key stays until the table is rebuilt, for next.</summary>
    public LuaValue Value;

    /// <summary>The first node whose key hashes to this node's place, plus 1; 0: none.</summary>
    public int First;

    /// <summary>The next node of the chain that this node is in, plus 1; 0: the last.</summary>
    public int Next;
}

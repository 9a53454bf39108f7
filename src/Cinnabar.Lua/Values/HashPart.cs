namespace Cinnabar.Lua.Values;

/// <summary>The pairs of a <see cref="LuaTable"/> that are not in its array: chains in one array of nodes, in
/// the order of insertion. Its room is fixed; the table makes a larger one.</summary>
internal struct HashPart
{
    /// <summary>The nodes; null: none. The length is a power of two.</summary>
    public TableNode[]? Nodes;

    /// <summary>Nodes in use, those of removed pairs too.</summary>
    public int Used;

    /// <summary>Whether there is room for no other pair.</summary>
    public readonly bool IsFull => Nodes is null || Used == Nodes.Length;

    /// <summary>Places for a number of pairs, charged.</summary>
    public static TableNode[] NewNodes(LuaBudget? budget, int size)
    {
        if (size > LuaTable.SizeMax) throw new LuaException("table overflow");
        int length = (int)BitOperations.RoundUpToPowerOf2((uint)size);
        budget?.Charge(TableNode.Size * (long)length);
        return new TableNode[length];
    }

    /// <summary>The value of a key, nil if there is none.</summary>
    public readonly LuaValue Get(LuaString key)
    {
        TableNode[]? nodes = Nodes;
        if (nodes is null) return default;
        int hash = key.Hash;
        for (int place = nodes[hash & (nodes.Length - 1)].First; place != 0;)
        {
            ref TableNode node = ref nodes[place - 1];
            if (node.Key.Ref == (object)key) return node.Value;
            if (node.Key.Ref is LuaString other && other.Hash == hash && other.HasBytesOf(key))
            {
                // The next search for the same object then ends at the first comparison.
                node.Key.Ref = key;
                return node.Value;
            }

            place = node.Next;
        }

        return default;
    }

    /// <summary>The value of a key, nil if there is none.</summary>
    public readonly LuaValue Get(double key)
    {
        int place = Find(key);
        return place < 0 ? default : Nodes![place].Value;
    }

    /// <summary>The value of a key that is neither nil nor a number nor a string; nil if there is
    /// none.</summary>
    public readonly LuaValue Get(object key)
    {
        int place = Find(key);
        return place < 0 ? default : Nodes![place].Value;
    }

    /// <summary>The node of a key; -1: none.</summary>
    public readonly int Find(in LuaValue key) => key.Ref is LuaString text ? Find(text)
        : key.IsNumber ? Find(key.Num) : Find(key.Ref!);

    /// <summary>The node of a key; -1: none.</summary>
    public readonly int Find(LuaString key)
    {
        TableNode[]? nodes = Nodes;
        if (nodes is null) return -1;
        int hash = key.Hash;
        for (int place = nodes[hash & (nodes.Length - 1)].First; place != 0;)
        {
            ref TableNode node = ref nodes[place - 1];
            if (node.Key.Ref == (object)key
                || (node.Key.Ref is LuaString other && other.Hash == hash
                    && other.HasBytesOf(key)))
                return place - 1;
            place = node.Next;
        }

        return -1;
    }

    /// <summary>Adds a pair whose key it does not have.</summary>
    public void Insert(LuaValue key, in LuaValue value)
    {
        Debug.Assert(!IsFull && Find(key) < 0 && !value.IsNil);
        if (key.IsNumber) key.Num += 0.0;
        TableNode[] nodes = Nodes!;
        int head = HashOf(key) & (nodes.Length - 1);
        ref TableNode node = ref nodes[Used++];
        node.Key = key;
        node.Value = value;
        node.Next = nodes[head].First;
        nodes[head].First = Used;
    }

    // Adding 0 makes -0 and 0 one key.
    internal static int HashOf(double key) =>
        (int)HashSecret.FoldTwice(BitConverter.DoubleToUInt64Bits(key + 0.0));

    private static int HashOf(in LuaValue key) => key.Ref is LuaString text ? text.Hash
        : key.IsNumber ? HashOf(key.Num) : HashOf(key.Ref!);

    private static int HashOf(object key) => RuntimeHelpers.GetHashCode(key) * -1640531535 >> 7;

    private readonly int Find(double key)
    {
        TableNode[]? nodes = Nodes;
        if (nodes is null) return -1;
        for (int place = nodes[HashOf(key) & (nodes.Length - 1)].First; place != 0;)
        {
            ref TableNode node = ref nodes[place - 1];
            if (node.Key.IsNumber && node.Key.Num == key) return place - 1;
            place = node.Next;
        }

        return -1;
    }

    private readonly int Find(object key)
    {
        TableNode[]? nodes = Nodes;
        if (nodes is null) return -1;
        for (int place = nodes[HashOf(key) & (nodes.Length - 1)].First; place != 0;)
        {
            ref TableNode node = ref nodes[place - 1];
            if (node.Key.Ref == key) return place - 1;
            place = node.Next;
        }

        return -1;
    }
}

namespace Cinnabar.Lua.Values;

/// <summary>The border of a table whose array part is full or has holes.</summary>
internal static class TableBorder
{
    /// <summary>n so that n is not nil and n + 1 is; 0 if 1 is nil.</summary>
    public static int Find(LuaTable table)
    {
        Span<LuaValue> array = table.Array;
        int high = array.Length;
        if (high > 0 && array[high - 1].IsNil) return Between(table, 0, high);
        if (table.Nodes.IsEmpty) return high;
        int low = high;
        for (high = low + 1; !table.Get(high).IsNil; high *= 2)
        {
            low = high;
            if (high > int.MaxValue / 2) return low;
        }

        return Between(table, low, high);
    }

    private static int Between(LuaTable table, int low, int high)
    {
        while (high - low > 1)
        {
            int middle = (int)(((uint)low + (uint)high) / 2);
            if (table.Get(middle).IsNil) high = middle;
            else low = middle;
        }

        return low;
    }
}

namespace Cinnabar.Lua.Values;

/// <summary>Searches a table with holes for a border: n so that n is not nil, or 0, and n + 1 is.</summary>
internal static class TableBorder
{
    /// <summary>A border at a place or above it.</summary>
    /// <param name="table">The table.</param>
    /// <param name="low">The place: 0, or one that is not nil.</param>
    public static int From(LuaTable table, int low)
    {
        int high;
        for (high = low + 1; !table.Get(high).IsNil; high *= 2)
        {
            low = high;
            if (high > int.MaxValue / 2) return low;
        }

        return Between(table, low, high);
    }

    /// <summary>A border between a place that is not nil, or 0, and a higher one that is.</summary>
    public static int Between(LuaTable table, int low, int high)
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

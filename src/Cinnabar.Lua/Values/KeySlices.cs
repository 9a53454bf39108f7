namespace Cinnabar.Lua.Values;

/// <summary>Counts integer keys by magnitude, to find the best size of a table's array part. Slice i has the
/// keys k with 2^(i-1) &lt; k &lt;= 2^i.</summary>
internal struct KeySlices
{
    private const int SliceCount = 27;
    private Slices _slices;

    /// <summary>Counts a key, if it is a positive integer.</summary>
    public void Add(in LuaValue key)
    {
        if (!key.IsNumber) return;
        int index = (int)key.Num;
        if (index == key.Num && index >= 1 && index <= LuaTable.SizeMax) Add(index);
    }

    /// <summary>Counts a positive integer.</summary>
    public void Add(int key) => _slices[key == 1 ? 0 : BitOperations.Log2((uint)key - 1) + 1]++;

    /// <summary>The largest power of two of which more than half is in use.</summary>
    /// <param name="inArray">Keys within.</param>
    public readonly int BestSize(out int inArray)
    {
        int size = 0;
        int sum = 0;
        inArray = 0;
        for (int slice = 0; slice < SliceCount; slice++)
        {
            sum += _slices[slice];
            if (sum <= (1 << slice) / 2) continue;
            size = 1 << slice;
            inArray = sum;
        }

        return size;
    }

    [InlineArray(SliceCount)]
    private struct Slices
    {
        private int _first;
    }
}

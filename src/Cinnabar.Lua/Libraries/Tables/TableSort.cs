using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Tables;

/// <summary><c>table.sort</c>: quicksort with the median of three as the pivot (R. Sedgewick, "Implementing
/// Quicksort Programs", 1978), as Lua's manual describes it.</summary>
/// <remarks>
/// It is not stable, and scripts see in which order equal elements come out; so the choice of the pivot is
/// the usual one: first, last, and the one in the middle. The elements are sorted in a copy with a place
/// before and behind, and written back, also when the comparison throws:
/// <code>
///   t[0] | t[1] … t[n] | t[n+1]
/// </code>
/// A comparison that contradicts itself can lead a scan past the elements; there it stops with an error. The
/// larger part is sorted in the loop and the smaller one after, from a short list: at most log2 n entries.
/// </remarks>
internal ref struct TableSort
{
    private const int PartsMax = 32;

    private readonly LuaCall _call;
    private readonly LuaValue _comparer;
    private readonly Span<LuaValue> _elements;
    private int _work;

    private TableSort(LuaCall call, LuaValue comparer, Span<LuaValue> elements)
    {
        _call = call;
        _comparer = comparer;
        _elements = elements;
    }

    /// <summary>Sorts the elements 1 to n.</summary>
    /// <param name="call">The call, for comparisons.</param>
    /// <param name="table">What is sorted.</param>
    /// <param name="comparer">A function that says whether its first argument is less, or nil.</param>
    internal static void Sort(LuaCall call, LuaTable table, LuaValue comparer)
    {
        int count = table.Length;
        if (count < 2) return;
        const int valueBytes = 16;
        call.Charge((count + 2L) * valueBytes);
        var elements = new LuaValue[count + 2];
        for (int i = 0; i < elements.Length; i++) elements[i] = table.Get(i);
        call.Step(count >> 3);
        try
        {
            var sort = new TableSort(call, comparer, elements);
            sort.Run(1, count);
        }
        finally
        {
            for (int i = 1; i <= count; i++) table.Set(i, elements[i]);
        }
    }

    private void Run(int low, int high)
    {
        Span<(int Low, int High)> parts = stackalloc (int, int)[PartsMax];
        int waiting = 0;
        while (true)
        {
            if (low >= high || !Partition(low, high, out int middle))
            {
                if (waiting == 0) return;
                (low, high) = parts[--waiting];
                continue;
            }
            Debug.Assert(waiting < PartsMax,
                "Each part that waits is at least twice the one that is sorted.");
            // The smaller part first: what waits is the larger.
            if (middle - low < high - middle)
            {
                parts[waiting++] = (middle + 1, high);
                high = middle - 1;
            }
            else
            {
                parts[waiting++] = (low, middle - 1);
                low = middle + 1;
            }
        }
    }

    // False when the part is sorted; else the place of the pivot, with what is not greater before it.
    private bool Partition(int low, int high, out int middle)
    {
        middle = 0;
        if (IsLess(_elements[high], _elements[low])) Swap(low, high);
        if (high - low == 1) return false;
        int pivotPlace = (int)((uint)(low + high) / 2);
        if (IsLess(_elements[pivotPlace], _elements[low])) Swap(pivotPlace, low);
        else if (IsLess(_elements[high], _elements[pivotPlace])) Swap(pivotPlace, high);
        if (high - low == 2) return false;
        LuaValue pivot = _elements[pivotPlace];
        Swap(pivotPlace, high - 1);
        int left = low, right = high - 1;
        while (true)
        {
            while (IsLess(_elements[++left], pivot))
                if (left > high) throw InvalidOrder();
            while (IsLess(pivot, _elements[--right]))
                if (right < low) throw InvalidOrder();
            if (right < left) break;
            Swap(left, right);
        }
        Swap(high - 1, left);
        middle = left;
        return true;
    }

    private readonly LuaException InvalidOrder() => _call.Error("invalid order function for sorting");

    private readonly void Swap(int one, int other) =>
        (_elements[one], _elements[other]) = (_elements[other], _elements[one]);

    private bool IsLess(in LuaValue left, in LuaValue right)
    {
        if ((++_work & 63) == 0) _call.Step(64);
        if (!_comparer.IsNil) return _call.Invoke(_comparer, left, right).IsTruthy;
        if (left.IsNumber && right.IsNumber) return left.Number < right.Number;
        return _call.LessThan(left, right);
    }
}

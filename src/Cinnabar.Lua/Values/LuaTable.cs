namespace Cinnabar.Lua.Values;

/// <summary>
/// A table: an array part for the keys 1 to n, and a hash part for all others.
///
/// <code>
///   _array   [ v1 v2 v3 v4 nil nil nil nil ]     its length: a power of two, or a constructor's count
///                        ^ _count
///   _hash    [ key value First Next | … ]         pairs in the order of insertion; 2^k places;
///            [0 .. Used)                               node i is also the head of the chain for hash i
/// </code>
///
/// The parts grow by the rule of "The Implementation of Lua 5.0" (Ierusalimschy and others, 2005): when the
/// hash part is full, the integer keys of both parts are counted, and the array part becomes the largest
/// power of two of which more than half is in use. So <c>#</c> of a table with holes is what scripts see
/// elsewhere. Appending to a full array without holes leads to the same sizes; it skips the count.
///
/// Invariants: without <c>_holes</c> the first <c>_count</c> places of the array are not nil and all others
/// are. An integer key within the array's length is never in the hash part. A removed pair keeps its node, so
/// that next can go on from a key that was removed during the traversal. The order of next is: the array,
/// then the order of insertion.
///
/// Limits: 2^26 places in each part.
/// </summary>
public sealed class LuaTable : LuaObject
{
    internal const int SizeMax = 1 << 26;
    private const int Overhead = 88;

    private readonly LuaBudget? _budget;
    private LuaValue[] _array = [];
    private HashPart _hash;
    private int _count;
    private bool _holes;

    /// <summary>An empty table.</summary>
    /// <param name="budget">What its memory is charged to; null: nothing.</param>
    /// <param name="arraySize">Places of the array part.</param>
    /// <param name="hashSize">Places of the hash part.</param>
    public LuaTable(LuaBudget? budget = null, int arraySize = 0, int hashSize = 0)
    {
        _budget = budget;
        budget?.Charge(Overhead + (long)arraySize * 16);
        if (arraySize > 0) _array = new LuaValue[arraySize];
        if (hashSize > 0) _hash.Nodes = HashPart.NewNodes(_budget, hashSize);
    }

    /// <inheritdoc/>
    public override LuaType Type => LuaType.Table;

    /// <summary>Its metatable, if it has one.</summary>
    public LuaTable? Metatable
    {
        get;
        set
        {
            field = value;
            UpdatePlain();
        }
    }

    /// <summary>Whether every change of it fails.</summary>
    public bool IsReadOnly
    {
        get;
        set
        {
            field = value;
            UpdatePlain();
        }
    }

    /// <summary>Whether <see cref="LuaBudget.Watcher"/> is asked before a change of it.</summary>
    internal bool IsWatched
    {
        get;
        set
        {
            field = value;
            UpdatePlain();
        }
    }

    /// <summary>A border: n so that n is not nil and n + 1 is; 0 if 1 is nil.</summary>
    public int Length => !_holes && _count < _array.Length ? _count : TableBorder.Find(this);

    /// <summary>Whether it may be changed without a look at metamethods.</summary>
    internal bool IsPlain { get; private set; } = true;

    /// <summary>Metamethods that are known to be absent while this table is a metatable, a bit each; a change
    /// forgets them.</summary>
    internal int AbsentEvents { get; set; }

    /// <summary>Whether newproxy made it.</summary>
    internal bool IsProxyMetatable { get; set; }

    /// <summary>The array part.</summary>
    internal Span<LuaValue> Array => _array;

    /// <summary>The pairs of the hash part, removed ones (value nil) too.</summary>
    internal ReadOnlySpan<TableNode> Nodes => _hash.Nodes.AsSpan(0, _hash.Used);

    /// <summary>Bytes that it has.</summary>
    internal long ByteCount =>
        Overhead + 16L * _array.Length + TableNode.Size * (long)(_hash.Nodes?.Length ?? 0);

    /// <summary>The value of a key, nil if there is none: no metamethods.</summary>
    public LuaValue Get(LuaString key) => _hash.Get(key);

    /// <summary>The value of a key, nil if there is none: no metamethods.</summary>
    public LuaValue Get(int key)
    {
        LuaValue[] array = _array;
        return (uint)(key - 1) < (uint)array.Length ? array[key - 1] : _hash.Get((double)key);
    }

    /// <summary>The value of a key, nil if there is none: no metamethods.</summary>
    public LuaValue Get(double key) => (int)key == key ? Get((int)key) : _hash.Get(key);

    /// <summary>The value of a key, nil if there is none: no metamethods.</summary>
    public LuaValue Get(LuaValue key)
    {
        if (key.Ref is LuaString text) return Get(text);
        if (key.IsNumber) return Get(key.Num);
        return key.IsNil ? default : _hash.Get(key.Ref!);
    }

    /// <summary>Sets a key's value; nil removes it: no metamethods.</summary>
    public void Set(LuaString key, LuaValue value) => Set(LuaValue.FromString(key), value);

    /// <summary>Sets the value of a key in UTF-8.</summary>
    public void Set(string key, LuaValue value) => Set(LuaString.From(key), value);

    /// <summary>Sets a key's value; nil removes it: no metamethods.</summary>
    /// <exception cref="LuaException">The table is read-only.</exception>
    public void Set(int key, LuaValue value)
    {
        BeforeChange();
        Put(key, value);
    }

    /// <summary>Sets a key's value; nil removes it: no metamethods.</summary>
    /// <exception cref="LuaException">The table is read-only, or the key is nil or not a number.</exception>
    public void Set(LuaValue key, LuaValue value)
    {
        if (key.IsNumber)
        {
            int index = (int)key.Num;
            if (index == key.Num)
            {
                Set(index, value);
                return;
            }

            if (double.IsNaN(key.Num)) throw new LuaException("table index is NaN");
        }
        else if (key.IsNil)
        {
            throw new LuaException("table index is nil");
        }

        BeforeChange();
        SetHashed(key, value);
    }

    /// <summary>Goes to the pair after a key.</summary>
    /// <param name="key">A key, nil for the first pair; the next key, or nil after the last.</param>
    /// <param name="value">Its value.</param>
    /// <returns>Whether there is a next pair.</returns>
    /// <exception cref="LuaException">The key is not in the table.</exception>
    public bool Next(ref LuaValue key, out LuaValue value) =>
        TryNext(ref key, out value) ? !key.IsNil : throw new LuaException("invalid key to 'next'");

    /// <summary>Goes to the pair after a key; past the last one to nil.</summary>
    /// <returns>Whether the key is in the table.</returns>
    internal bool TryNext(ref LuaValue key, out LuaValue value)
    {
        int place = PlaceOf(key);
        value = default;
        if (place < 0) return false;
        for (; place < _array.Length; place++)
        {
            if (_array[place].IsNil) continue;
            key = new LuaValue((double)(place + 1));
            value = _array[place];
            return true;
        }

        for (place -= _array.Length; place < _hash.Used; place++)
        {
            ref TableNode node = ref _hash.Nodes![place];
            if (node.Value.IsNil) continue;
            key = node.Key;
            value = node.Value;
            return true;
        }

        key = default;
        return true;
    }

    /// <summary>Makes it as a new table, for a host that gives each run the same one: no code that has seen
    /// it runs any more.</summary>
    /// <param name="arraySize">Places of the array part.</param>
    public void Renew(int arraySize)
    {
        (IsReadOnly, IsWatched, Metatable) = (false, false, null);
        _hash = default;
        if (_array.Length == arraySize) _array.AsSpan().Clear();
        else _array = arraySize == 0 ? [] : new LuaValue[arraySize];
        _budget?.Charge(16L * arraySize);
        (_count, _holes, AbsentEvents) = (0, false, 0);
    }

    /// <summary>Sets a key's value in a table that may be changed.</summary>
    internal void SetPlain(LuaString key, in LuaValue value)
    {
        Debug.Assert(!IsReadOnly);
        int place = _hash.Find(key);
        AbsentEvents = 0;
        if (place >= 0) _hash.Nodes![place].Value = value;
        else SetHashed(new LuaValue((object)key), value);
    }

    /// <summary>Sets a key's value in a table that may be changed.</summary>
    internal void SetPlain(int key, in LuaValue value)
    {
        Debug.Assert(!IsReadOnly);
        if ((uint)(key - 1) < (uint)_count && value.Ref is not null && !_holes) _array[key - 1] = value;
        else Put(key, value);
    }

    /// <summary>Makes room for a number of values in the array part, as a constructor does.</summary>
    internal void ReserveArray(int size)
    {
        if (size > _array.Length) ResizeArray(size);
    }

    /// <summary>Removes the pairs that a walk did not reach.</summary>
    /// <param name="isDead">Says of a key or value whether it was not reached.</param>
    /// <param name="keys">Whether dead keys remove their pair.</param>
    /// <param name="values">Whether dead values remove their pair.</param>
    internal void RemoveDead(Func<LuaValue, bool> isDead, bool keys, bool values)
    {
        for (int index = 1; values && index <= _array.Length; index++)
            if (isDead(_array[index - 1])) SetPlace(index, default);
        for (int place = 0; place < _hash.Used; place++)
        {
            ref TableNode node = ref _hash.Nodes![place];
            if ((keys && isDead(node.Key)) || (values && isDead(node.Value))) node.Value = default;
        }
    }

    /// <summary>Refuses a change, or asks the watcher.</summary>
    /// <exception cref="LuaException">It is read-only.</exception>
    internal void BeforeChange()
    {
        if (IsReadOnly) throw new LuaException("Attempt to modify a readonly table");
        if (!IsWatched) return;
        _budget!.Watcher!();
        Debug.Assert(!IsWatched, "a watcher that returns has released the table");
    }

    private void UpdatePlain() => IsPlain = Metatable is null && !IsReadOnly && !IsWatched;

    // The place after a key: places of the array, then nodes; -1: it has no such key.
    private int PlaceOf(in LuaValue key)
    {
        if (key.IsNil) return 0;
        if (key.IsNumber)
        {
            int index = (int)key.Num;
            if (index == key.Num && (uint)(index - 1) < (uint)_array.Length) return index;
        }

        int place = _hash.Find(key);
        return place < 0 ? -1 : _array.Length + place + 1;
    }

    private void Put(int key, in LuaValue value)
    {
        if ((uint)(key - 1) < (uint)_array.Length) SetPlace(key, value);
        else if (!_holes && key - 1 == _count && _count == _array.Length && !value.IsNil) Append(value);
        else SetHashed(new LuaValue((double)key), value);
    }

    private void Put(in LuaValue key, in LuaValue value)
    {
        int index = (int)key.Num;
        if (key.IsNumber && index == key.Num) Put(index, value);
        else SetHashed(key, value);
    }

    private void SetPlace(int key, in LuaValue value)
    {
        if (value.IsNil)
        {
            if (key == _count) _count--;
            else if (key < _count) _holes = true;
        }
        else if (key - 1 == _count)
        {
            _count++;
        }
        else if (key > _count)
        {
            _holes = true;
        }

        _array[key - 1] = value;
    }

    private void Append(in LuaValue value)
    {
        // A value of the hash part that comes into the array's range has to move there: the general way finds
        // it.
        if (_hash.Used > 0)
        {
            SetHashed(new LuaValue((double)(_count + 1)), value);
            return;
        }

        ResizeArray(_array.Length == 0 ? 1 : (int)BitOperations.RoundUpToPowerOf2((uint)_array.Length + 1));
        _array[_count++] = value;
    }

    private void SetHashed(in LuaValue key, in LuaValue value)
    {
        AbsentEvents = 0;
        int place = _hash.Find(key);
        if (place >= 0)
        {
            _hash.Nodes![place].Value = value;
            return;
        }

        if (value.IsNil) return;
        if (_hash.IsFull)
        {
            Rebuild(key);
            Put(key, value);
            return;
        }

        _hash.Insert(key, value);
    }

    // Both parts get the sizes that the keys and a new one call for.
    private void Rebuild(in LuaValue newKey)
    {
        var slices = default(KeySlices);
        int total = 1;
        slices.Add(newKey);
        foreach (ref readonly TableNode node in Nodes)
        {
            if (node.Value.IsNil) continue;
            total++;
            slices.Add(node.Key);
        }

        for (int index = 0; index < _array.Length; index++)
        {
            if (_array[index].IsNil) continue;
            total++;
            slices.Add(index + 1);
        }

        int arraySize = slices.BestSize(out int inArray);
        LuaValue[] oldArray = _array;
        HashPart old = _hash;
        // Both are charged before anything changes: a refusal leaves the table whole.
        TableNode[]? nodes = total > inArray ? HashPart.NewNodes(_budget, total - inArray) : null;
        if (arraySize != oldArray.Length) ResizeArray(arraySize);
        _hash = new HashPart { Nodes = nodes };
        for (int index = arraySize; index < oldArray.Length; index++)
            if (!oldArray[index].IsNil) _hash.Insert(new LuaValue((double)(index + 1)), oldArray[index]);
        foreach (ref readonly TableNode node in old.Nodes.AsSpan(0, old.Used))
            if (!node.Value.IsNil) Put(node.Key, node.Value);
        FindHoles();
    }

    private void ResizeArray(int size)
    {
        if (size > SizeMax) throw new LuaException("table overflow");
        _budget?.Charge(16L * size);
        var array = new LuaValue[size];
        _array.AsSpan(0, Math.Min(size, _array.Length)).CopyTo(array);
        _array = array;
        FindHoles();
    }

    private void FindHoles()
    {
        int border = 0;
        while (border < _array.Length && !_array[border].IsNil) border++;
        (_count, _holes) = (border, false);
        for (int index = border; index < _array.Length && !_holes; index++)
            _holes = !_array[index].IsNil;
    }
}

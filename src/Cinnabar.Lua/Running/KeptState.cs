// What functions keep between their calls. They have been made by a chunk whose run is over, and nothing else
// can be reached from them but the globals, which are read-only:
//
//   function ─► upvalue ─► a value: it changes where the code of a function assigns it; the code says so
//                      ─► a table: it changes at run time; it can be watched (LuaBudget.Watcher)
//                      ─► another function, and so on
//
// Functions that keep nothing do the same in each machine that runs their chunk. A host's function that the
// chunk did not find in its environment or among the methods of strings (an iterator of gmatch) may count for
// itself: that is taken for state.
//
// Limit: a loop over many constants of a chunk is a walk over all of them; it is made once in a machine.

using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>The variables and tables that functions keep between their calls.</summary>
public sealed class KeptState
{
    private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly Stack<LuaObject> _waiting = [];
    private readonly List<LuaTable> _tables = [];

    private KeptState()
    {
    }

    /// <summary>Whether a call may change it without changing a table.</summary>
    public bool IsAssigned { get; private set; }

    /// <summary>Whether it has tables.</summary>
    public bool HasTables => _tables.Count > 0;

    /// <summary>Finds what functions keep, and gives them the environment in which they will run.</summary>
    /// <param name="machine">Theirs.</param>
    /// <param name="loading">The environment of the chunk that made them.</param>
    /// <param name="functions">The functions.</param>
    public static KeptState Of(LuaMachine machine, LuaTable loading, ReadOnlySpan<LuaFunction> functions)
    {
        var state = new KeptState();
        state.Skip(loading);
        state.Skip(machine.StringMetatable);
        foreach (LuaFunction function in functions)
            state.Reach(LuaValue.From(function));
        while (state._waiting.TryPop(out LuaObject? item))
        {
            switch (item)
            {
                case LuaClosure closure:
                    if (closure.Environment == loading) closure.Environment = machine.Globals;
                    state.WalkOver(closure);
                    break;
                case LuaTable table:
                    state._tables.Add(table);
                    state.ReachAll(table);
                    break;
                default:
                    state.IsAssigned = true;
                    break;
            }
        }

        state._seen.Clear();
        return state;
    }

    /// <summary>Has the machine's watcher asked before a table of it changes.</summary>
    public void Watch()
    {
        foreach (LuaTable table in _tables)
            table.IsWatched = true;
    }

    /// <summary>Lets its tables change.</summary>
    public void Release()
    {
        foreach (LuaTable table in _tables)
            table.IsWatched = false;
    }

    private void WalkOver(LuaClosure closure)
    {
        for (int index = 0; index < closure.Upvalues.Length; index++)
        {
            Upvalue upvalue = closure.Upvalues[index];
            Debug.Assert(upvalue.Thread is null, "the chunk has ended");
            IsAssigned |= closure.Prototype.Assigns(index);
            Reach(upvalue.Value);
        }
    }

    private void Reach(LuaValue value)
    {
        if (value.Object is { } item && _seen.Add(item)) _waiting.Push(item);
    }

    private void ReachAll(LuaTable table)
    {
        if (table.Metatable is { } metatable) Reach(LuaValue.From(metatable));
        LuaValue key = default;
        while (table.Next(ref key, out LuaValue value))
        {
            Reach(key);
            Reach(value);
        }
    }

    // What the host made, with what can be found in it: it is read-only.
    private void Skip(LuaTable? table)
    {
        if (table is null || !_seen.Add(table)) return;
        Skip(table.Metatable);
        LuaValue key = default;
        while (table.Next(ref key, out LuaValue value))
        {
            if (value.Ref is LuaTable inner) Skip(inner);
            else if (value.Object is { } item) _seen.Add(item);
        }
    }
}

using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// Walks over all that a machine's scripts can reach, and adds up its bytes. Objects have the number of the
/// walk that last reached them; those that wait to be walked over are on a list, so that a long chain needs
/// no recursion.
///
/// A table with weak keys or values (__mode) is walked over without them. At the end the pairs of such tables
/// whose weak part was not reached are removed: this is when 5.1 removes them, in a collection.
///
/// Limit: strings and prototypes of one chunk may be shared by machines on several threads; their numbers may
/// then be another machine's, and the bytes of a constant missing or counted twice.
/// </summary>
internal sealed class MemoryWalk(LuaMachine machine)
{
    private readonly List<object> _waiting = [];
    private readonly List<(LuaTable Table, bool Keys, bool Values)> _weak = [];
    private int _number;
    private long _bytes;

    /// <summary>Bytes that can be reached.</summary>
    public long MeasureLive()
    {
        _number++;
        _bytes = 0;
        Reach(machine.Globals);
        Reach(machine.Registry);
        Reach(machine.StringMetatable);
        Reach(machine.MainThread);
        Reach(machine.CurrentThread);
        foreach (LuaThread thread in machine.Resumers) Reach(thread);
        while (_waiting.Count > 0)
        {
            object item = _waiting[^1];
            _waiting.RemoveAt(_waiting.Count - 1);
            WalkOver(item);
        }

        foreach ((LuaTable table, bool keys, bool values) in _weak) table.RemoveDead(IsDead, keys, values);
        _weak.Clear();
        return _bytes;
    }

    // Strings are values: they keep no pair from being removed, nor have it removed.
    private bool IsDead(LuaValue value) => value.Object is { } item && item.Mark != _number;

    private void Reach(in LuaValue value)
    {
        if (value.Ref is LuaString text) Count(text);
        else Reach(value.Object);
    }

    private void Reach(LuaObject? item)
    {
        if (item is null || item.Mark == _number) return;
        item.Mark = _number;
        _waiting.Add(item);
    }

    private void Count(LuaString text)
    {
        if (text.Mark == _number) return;
        text.Mark = _number;
        _bytes += LuaString.Overhead + text.Length;
    }

    private void WalkOver(object item)
    {
        switch (item)
        {
            case LuaTable table:
                WalkOverTable(table);
                break;
            case LuaClosure closure:
                WalkOverClosure(closure);
                break;
            case LuaThread thread:
                WalkOverThread(thread);
                break;
            case LuaUserdata userdata:
                _bytes += 48;
                Reach(userdata.Metatable);
                Reach(userdata.Environment);
                break;
            case LuaFunction function:
                _bytes += 48;
                Reach(function.Environment);
                foreach (LuaValue kept in (function as HostFunction)?.Kept ?? []) Reach(kept);
                break;
        }
    }

    private void WalkOverTable(LuaTable table)
    {
        _bytes += table.ByteCount;
        Reach(table.Metatable);
        bool hasWeakKeys = false;
        bool hasWeakValues = false;
        if (table.Metatable?.Get(machine.EventNames[(int)MetaEvent.Mode]).Ref is LuaString mode)
        {
            hasWeakKeys = mode.Bytes.Contains((byte)'k');
            hasWeakValues = mode.Bytes.Contains((byte)'v');
            if (hasWeakKeys || hasWeakValues) _weak.Add((table, hasWeakKeys, hasWeakValues));
        }

        if (!hasWeakValues)
            foreach (ref readonly LuaValue value in table.Array) Reach(value);
        foreach (ref readonly TableNode node in table.Nodes)
        {
            if (node.Value.IsNil) continue;
            if (!hasWeakKeys || node.Key.IsString) Reach(node.Key);
            if (!hasWeakValues || node.Value.IsString) Reach(node.Value);
        }
    }

    private void WalkOverClosure(LuaClosure closure)
    {
        _bytes += LuaClosure.SizeOf(closure.Prototype);
        Reach(closure.Environment);
        foreach (Upvalue? upvalue in closure.Upvalues)
        {
            if (upvalue is null || upvalue.Mark == _number) continue;
            upvalue.Mark = _number;
            _bytes += Upvalue.Size;
            if (upvalue.Thread is null) Reach(upvalue.Closed);
            else Reach(upvalue.Thread);
        }
    }

    private void WalkOverThread(LuaThread thread)
    {
        _bytes += 100 + 16L * thread.Stack.Length + 48L * thread.Frames.Length;
        Reach(thread.Globals);
        int end = 0;
        for (int row = 0; row <= thread.Depth; row++)
        {
            Reach(thread.Frames[row].Function);
            end = Math.Max(end, thread.Frames[row].Top);
        }

        end = Math.Min(thread.Stack.Length, Math.Max(end, thread.Top) + LuaThread.HostSlack);
        foreach (ref readonly LuaValue value in thread.Stack.AsSpan(0, end)) Reach(value);
    }
}

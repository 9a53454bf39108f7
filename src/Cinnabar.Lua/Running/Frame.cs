using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// A call that is under way: a row of a thread's stack of calls.
///
/// <code>
///   Lua:    … function | surplus arguments | fixed arguments, locals, temporaries | …
///             ^Place                         ^Base                                  ^Top
///   host:   … function | arguments | values for the calls that it makes …
///             ^Place     ^Base       ^Top
/// </code>
///
/// Results are moved to <see cref="Place"/> and after.
/// </summary>
internal struct Frame
{
    /// <summary>The function; null in the row below all calls.</summary>
    public LuaFunction? Function;

    /// <summary>Where the function was, and its results will be.</summary>
    public int Place;

    /// <summary>The first register or argument.</summary>
    public int Base;

    /// <summary>The end of its part of the stack.</summary>
    public int Top;

    /// <summary>Lua: the next instruction.</summary>
    public int Next;

    /// <summary>Results that the caller wants; -1: all.</summary>
    public int Wanted;

    /// <summary>Calls that this one replaced, being a tail call.</summary>
    public int TailCalls;

    /// <summary>Whether its return ends the interpreter's loop.</summary>
    public bool IsEntry;
}

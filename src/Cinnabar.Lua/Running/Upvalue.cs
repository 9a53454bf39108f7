using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>A local variable that closures share. While its function runs it is open: a place of the thread's
/// stack. Then it is closed: it has the value itself.</summary>
internal sealed class Upvalue
{
    /// <summary>Bytes of one.</summary>
    public const int Size = 56;

    /// <summary>The thread whose stack has it; null: it is closed.</summary>
    public LuaThread? Thread;

    /// <summary>Its place on the stack.</summary>
    public int Place;

    /// <summary>Its value when it is closed.</summary>
    public LuaValue Closed;

    /// <summary>The open upvalue below on the same stack.</summary>
    public Upvalue? Below;

    /// <summary>The walk that last reached it.</summary>
    public int Mark;

    /// <summary>Its value.</summary>
    public LuaValue Value
    {
        get => Thread is null ? Closed : Thread.Stack[Place];
        set
        {
            if (Thread is null) Closed = value;
            else Thread.Stack[Place] = value;
        }
    }
}

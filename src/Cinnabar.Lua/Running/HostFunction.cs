using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>A function of the host.</summary>
public sealed class HostFunction : LuaFunction
{
    /// <summary>A function of the host.</summary>
    /// <param name="name">Its name, for the one who reads a dump; error texts take the caller's name for
    /// it.</param>
    /// <param name="body">What it does.</param>
    public HostFunction(string name, HostBody body)
    {
        Name = name;
        Body = body;
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>Values that it keeps, so that a count of memory finds them.</summary>
    internal LuaValue[] Kept { get; init; } = [];

    /// <summary>Whether it is one of the functions that a generic for need not call.</summary>
    internal IteratorKind Iterator { get; init; }

    /// <summary>What it does.</summary>
    internal HostBody Body { get; }
}

using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Finds the commands that scripts name. A name in a script's text is the same string object at each
/// call: those of the last few calls are remembered. Of one machine.</summary>
internal sealed class KnownCommands(ILoopServer server)
{
    // A power of two: the place of a name is the low part of its hash.
    private const int Count = 16;

    private readonly ILoopServer _server = server;
    private readonly Known[] _known = new Known[Count];

    /// <summary>Finds the command that arguments name; null: there is none.</summary>
    /// <param name="name">The first of them, where it is a string.</param>
    /// <param name="arguments">The arguments; at least one.</param>
    public CommandSpec? Find(LuaString? name, ArgumentList arguments)
    {
        if (name is null)
            return _server.Commands.Find(arguments);
        ref Known known = ref _known[name.GetHashCode() & (Count - 1)];
        if (known.Name == (object)name)
            return known.Spec;
        CommandSpec? spec = _server.Commands.Find(arguments);
        // Which command of a container it is depends on the next argument, too.
        if (spec is { Parent: null, IsContainer: false })
            known = new Known(name, spec);
        return spec;
    }

    private readonly record struct Known(LuaString Name, CommandSpec Spec);
}

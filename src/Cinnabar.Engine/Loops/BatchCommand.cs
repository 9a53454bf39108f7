using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>A scanned command that waits to be executed in this turn.</summary>
internal struct BatchCommand
{
    /// <summary>Index of the turn's input that it came in with.</summary>
    public int Input;

    /// <summary>Index of its first argument in the loop's argument buffer.</summary>
    public int FirstArgument;

    /// <summary>Number of its arguments.</summary>
    public int ArgumentCount;

    /// <summary>Where in the input it ends.</summary>
    public int End;

    /// <summary>The command; null where there is none of that name.</summary>
    public CommandSpec? Spec;
}

using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>A scanned command that waits to be executed in this turn.</summary>
internal unsafe struct BatchCommand
{
    /// <summary>Index of its input in the turn.</summary>
    public int Input;

    /// <summary>Index of its first argument in the loop's argument buffer.</summary>
    public int FirstArgument;

    /// <summary>Number of its arguments.</summary>
    public int ArgumentCount;

    /// <summary>Its end in the input.</summary>
    public int End;

    /// <summary>The bucket of its first key, later its slot; null: it has none. Valid in this turn, for
    /// prefetching only.</summary>
    public byte* Place;

    /// <summary>Index of its first key in the loop's argument buffer.</summary>
    public int Key;

    /// <summary>The database of its first key; negative: it has none.</summary>
    public int Database;

    /// <summary>Whether it has the same first key as the last command before that has one.</summary>
    public bool IsRepeat;

    /// <summary>The hash of its first key.</summary>
    public ulong Hash;

    /// <summary>The version of its first key's table before <see cref="Place"/> was read.</summary>
    public nint Version;

    /// <summary>The command; null where the name is unknown.</summary>
    public CommandSpec? Spec;
}

namespace Cinnabar.Lua.Compiling;

/// <summary>A block of statements: what was there before it, and the jumps that leave it.</summary>
internal sealed class Block(Block? outer, int activeCount, bool isLoop)
{
    /// <summary>The block around it in the same function.</summary>
    public Block? Outer { get; } = outer;

    /// <summary>Local variables before it.</summary>
    public int ActiveCount { get; } = activeCount;

    /// <summary>Whether break leaves it.</summary>
    public bool IsLoop { get; } = isLoop;

    /// <summary>Whether a local variable of it is an upvalue of a function.</summary>
    public bool HasUpvalue { get; set; }

    /// <summary>The jumps of breaks.</summary>
    public int Breaks = CodeBuilder.NoJump;
}

namespace Cinnabar.Platform;

/// <summary>
/// What one loop, or one thread of the slow lane, is doing: its row of an <see cref="ActivityPage"/>, a cache
/// line. Written by plain stores of the thread that drives it. fatal_signals.c has the same layout.
/// </summary>
[StructLayout(LayoutKind.Sequential, Size = 64)]
public struct ActivityRow
{
    /// <summary>The address of the command's name in constant data: <c>b</c>, its length in decimal digits,
    /// <c>;</c>, the name. 0: none has run.</summary>
    public nint Command;

    /// <summary>The id of the client whose command it is.</summary>
    public long Session;

    /// <summary>The thread, from pthread_self; 0: none.</summary>
    internal nint Thread;

    /// <summary>What the row is of.</summary>
    internal int Kind;

    /// <summary>Its number among those of its kind.</summary>
    internal int Index;

    /// <summary>What it is doing.</summary>
    public ActivityPhase Phase;
}

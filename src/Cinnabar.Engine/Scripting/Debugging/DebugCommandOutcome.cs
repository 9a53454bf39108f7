namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>What follows a command of the debugger.</summary>
internal enum DebugCommandOutcome
{
    /// <summary>The next command.</summary>
    Stay,

    /// <summary>The script runs to the next line.</summary>
    Step,

    /// <summary>The script runs to the next breakpoint.</summary>
    Continue,

    /// <summary>The script ends.</summary>
    Abort,
}

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>A session's input of a turn: bytes in the loop's slab or in its partial input, or an execution to
/// resume.</summary>
internal unsafe struct TurnInput
{
    public Session Session;

    /// <summary>A suspended execution to resume first; the session's partial input follows.</summary>
    public SessionExecution? Resumed;

    /// <summary>The bytes; unused when they are in the session's partial input.</summary>
    public byte* Data;

    /// <summary>Number of bytes.</summary>
    public int Length;

    /// <summary>Bytes of them that have been executed or scanned into the batch.</summary>
    public int Position;

    /// <summary>Commands in the batch that wait to be executed.</summary>
    public int BatchedCount;

    /// <summary>Whether the bytes are the session's partial input.</summary>
    public bool IsPartial;

    /// <summary>Whether the rest of this input is left alone in this turn.</summary>
    public bool IsDone;
}

namespace Cinnabar.Engine.Executions;

/// <summary>The errors for clients that a long execution keeps waiting.</summary>
internal static class BusyReply
{
    /// <summary>A script runs.</summary>
    public static ReadOnlySpan<byte> Script =>
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."u8;

    /// <summary>A function runs.</summary>
    public static ReadOnlySpan<byte> Function =>
        "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."u8;

    /// <summary>Another command runs.</summary>
    public static ReadOnlySpan<byte> Command => "BUSY Redis is busy running a module command."u8;
}

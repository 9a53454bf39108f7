namespace Cinnabar.Engine.Admission;

/// <summary>The errors of commands that cannot run while a command has run for too long.</summary>
internal static class BusyError
{
    /// <summary>A script has the keys, or the server.</summary>
    public static ReadOnlySpan<byte> Script =>
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."u8;

    /// <summary>Another command has the keys.</summary>
    public static ReadOnlySpan<byte> Command => "BUSY Redis is busy running a module command."u8;
}

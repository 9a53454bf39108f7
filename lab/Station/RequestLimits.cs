namespace Cinnabar.Lab;

/// <summary>The limits beyond which a station ends a connection: without them one client could fill the
/// memory. They are far below Redis's and far above every workload of the lab.</summary>
public static class RequestLimits
{
    /// <summary>Arguments of a command; the stations of line one know none with more than three.</summary>
    public const int ArgumentCountMax = 1024;

    /// <summary>Bytes of a command's arguments together, and of a line.</summary>
    public const int RequestBytesMax = 16 * 1024 * 1024;

    /// <summary>Bytes of a line that gives a number or is a whole command.</summary>
    public const int LineBytesMax = 64 * 1024;
}

using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Counters of one loop; INFO adds them up. Plain fields: one writer, readers that may see the last
/// instant.</summary>
internal sealed class LoopStatistics
{
    /// <summary>Turns run.</summary>
    public long TurnCount;

    /// <summary>Commands executed.</summary>
    public long CommandCount;

    /// <summary>Receptions of bytes.</summary>
    public long ReadCount;

    /// <summary>Sends of bytes.</summary>
    public long WriteCount;

    /// <summary>Bytes received.</summary>
    public long BytesReceived;

    /// <summary>Bytes sent.</summary>
    public long BytesSent;

    /// <summary>Sessions closed because of <c>client-query-buffer-limit</c>.</summary>
    public long QueryBufferCloseCount;

    /// <summary>Sessions closed because of <c>client-output-buffer-limit</c>.</summary>
    public long OutputBufferCloseCount;

    /// <summary>Per command, by its identifier.</summary>
    public readonly CommandStatistics[] Commands = new CommandStatistics[CommandTable.IdCount];
}

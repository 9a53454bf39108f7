using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Statistics;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.Scripting;

/// <summary>What scripts need of their server.</summary>
internal sealed class ScriptSurroundings
{
    /// <summary>The server of their loops.</summary>
    public required ILoopServer Server { get; init; }

    /// <summary>Counts the errors that are replied.</summary>
    public required ErrorStatistics Errors { get; init; }

    /// <summary>The channels of PUBLISH.</summary>
    public required ChannelRegistry Channels { get; init; }

    /// <summary>The channels of SPUBLISH.</summary>
    public required ChannelRegistry ShardChannels { get; init; }

    /// <summary>Makes an output that counts errors apart.</summary>
    public required Func<int, ErrorStatistics, ReplyOutput> MakeOutput { get; init; }

    /// <summary>The version of Redis that scripts may take the server for.</summary>
    public required string RedisVersion { get; init; }

    /// <summary>Whether the garbage of big runs is collected at once.</summary>
    public bool CollectsGarbage { get; init; }

    /// <summary>Whether scripts may call what is not allowed from scripts (DEBUG
    /// SET-DISABLE-DENY-SCRIPTS).</summary>
    public bool AllowsDeniedCommands { get; set; }

    /// <summary>Every so manyth call of a command makes a script run again where it can; 0: none does. For
    /// tests.</summary>
    public int RerunInterval { get; init; }
}

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripting;

namespace Cinnabar.Engine;

/// <summary>Makes the machines of a server's scripts.</summary>
internal static class ScriptWiring
{
    /// <summary>Makes them.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="options">Its options.</param>
    /// <param name="loopCount">The number of its loops.</param>
    public static ScriptMachines Make(ServerEngine engine, ServerOptions options, int loopCount) =>
        new(new ScriptSurroundings
        {
            Server = engine,
            Errors = engine.Errors,
            Channels = engine.Channels,
            ShardChannels = engine.ShardChannels,
            MakeOutput = (chunkSize, errors) => new ReplyOutput(
                engine.Chunks, engine.Keyspace.Blocks, errors, engine.OutputLimits, chunkSize),
            RedisVersion = Encoding.ASCII.GetString(ServerEngine.RedisVersion),
            CollectsGarbage = options.CollectsGarbage,
            RerunInterval = options.ScriptRerunInterval,
        }, loopCount);
}

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripting;

namespace Cinnabar.Engine;

/// <summary>Makes the machines of a server's scripts, and ends them.</summary>
internal static class ScriptWiring
{
    /// <summary>Makes those of scripts and those of functions.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="options">Its options.</param>
    /// <param name="loopCount">The number of its loops.</param>
    public static (ScriptMachines Scripts, FunctionMachines Functions) Make(
        ServerEngine engine, ServerOptions options, int loopCount)
    {
        var surroundings = new ScriptSurroundings
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
        };
        var running = new RunningScripts();
        var scripts = new ScriptMachines(surroundings, loopCount, running)
        {
            MakeMachine = isInsecure => new ScriptMachine(surroundings, running, isInsecure),
        };
        return (scripts, new FunctionMachines(surroundings, running, loopCount));
    }

    /// <summary>Ends the machines and forgets the scripts; none runs any more.</summary>
    public static void End(ServerEngine engine)
    {
        engine.ScriptMachines.Dispose();
        engine.FunctionMachines.Dispose();
        engine.FunctionMachines.Libraries.Clear();
        engine.Scripts.Clear();
    }
}

using System.IO;
using System.Threading.Tasks;
using Cinnabar.Commands;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Importing;
using Cinnabar.Platform;
using Cinnabar.Transport.Listening;

namespace Cinnabar.Server;

/// <summary>The server of the process.</summary>
internal sealed class ServerInstance : IServerInstance
{
    private readonly CinnabarServer _server;
    private readonly TaskCompletionSource<int> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServerInstance(CinnabarServer server)
    {
        _server = server;
        _server.Completion.ContinueWith(End, TaskScheduler.Default);
    }

    public IReadOnlyList<string> Listeners => _server.Listeners;

    public Task<int> Completion => _completion.Task;

    public Task Ready => _server.Ready;

    /// <summary>Starts it.</summary>
    /// <exception cref="IOException">An address to listen on cannot be had.</exception>
    public static IServerInstance Start(
        ConfigurationRegistry configuration, ILog log, ImportAddress? source, CrashReport crashReport,
        StopRequest stop)
    {
        try
        {
            var options = new ServerOptions
            {
                Configuration = configuration,
                Log = log,
                CrashReport = crashReport,
                StopRequest = stop,
                CollectsGarbage = true,
                IsMemoryChecked = IsAsked("CINNABAR_CHECKED_MEMORY"),
                LoopCostNsMax = IsAsked("CINNABAR_OFF_LOOP") ? -1 : Execution.LoopCostNsDefault,
            };
            CinnabarServer server = CinnabarServer.Listen(options, source);
            return new ServerInstance(server);
        }
        catch (ListenerFailedException failure)
        {
            throw new IOException(failure.Message, failure);
        }
    }

    public void Load() => _server.Load();

    // What only tests ask for.
    private static bool IsAsked(string variable) => Environment.GetEnvironmentVariable(variable) == "1";

    public bool TryPrepareEnd(bool isInterrupt) => _server.TryPrepareEnd(isInterrupt);

    public void Stop()
    {
        _server.Dispose();
        _completion.TrySetResult(0);
    }

    /// <summary>After a shutdown everything is freed; after a fault nothing is touched.</summary>
    private void End(Task<int> ended)
    {
        Debug.Assert(ended.IsCompletedSuccessfully, "a server ends with an exit code");
        if (ended.Result == 0)
            Stop();
        else
            _completion.TrySetResult(ended.Result);
    }
}

using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Importing;
using Cinnabar.Transport;
using Cinnabar.Transport.Listening;

namespace Cinnabar;

/// <summary>
/// A running server. Several live in one process side by side; disposing one closes its connections and gives
/// back every byte.
/// </summary>
public sealed class CinnabarServer : IDisposable, IAsyncDisposable
{
    private readonly ServerEngine _engine;
    private readonly TransportHost _host;
    private readonly TaskCompletionSource<int> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly Lock _disposing = new();
    private Import? _import;
    private bool _isDisposed;

    private CinnabarServer(ServerOptions options, ListenChoice choice)
    {
        _engine = new ServerEngine(options)
        {
            Faulted = _ => _completion.TrySetResult(1),
            ShutdownRequested = () => _completion.TrySetResult(0),
        };
        _host = new TransportHost(_engine, choice);
    }

    /// <summary>The TCP port that the server listens on; 0 where it listens on none.</summary>
    public int Port => _host.Port;

    /// <summary>Where the server listens, for people.</summary>
    public IReadOnlyList<string> Listeners => _host.ListenerNames;

    /// <summary>Completes with the exit code when the server ends by itself (SHUTDOWN, an internal
    /// fault).</summary>
    public Task<int> Completion => _completion.Task;

    /// <summary>Completes when the server has loaded its data, at once where it has none: before, commands
    /// are refused with -LOADING. Where the data cannot be loaded it fails, and the server ends with exit
    /// code 1; the log says why. It is cancelled where the server is disposed first.</summary>
    public Task Ready => _ready.Task;

    /// <summary>Starts a server.</summary>
    /// <exception cref="ListenerFailedException">An address to listen on cannot be had.</exception>
    public static CinnabarServer Start(ServerOptions options)
    {
        CinnabarServer server = Listen(options);
        server.Load();
        return server;
    }

    /// <summary>Starts a server that listens and waits for <see cref="Load"/>: until then it refuses commands
    /// with -LOADING if it has data.</summary>
    /// <exception cref="ListenerFailedException">An address to listen on cannot be had.</exception>
    public static CinnabarServer Listen(ServerOptions options) => Listen(options, source: null);

    /// <summary>Starts a server as the public form does, and has it import another server's data when its
    /// own are loaded.</summary>
    /// <param name="options">The server's options.</param>
    /// <param name="source">The other server; null: there is none.</param>
    /// <exception cref="ListenerFailedException">An address to listen on cannot be had.</exception>
    /// <exception cref="IOException">The record of an earlier import cannot be read.</exception>
    internal static CinnabarServer Listen(ServerOptions options, ImportAddress? source)
    {
        ImportRecord? record = source is null ? null : new ImportRecord(
            ConfigurationText.ToPath(options.Configuration.TextOf("dir")), source.ToString());
        if (record is { IsFinished: true })
        {
            options.Log.Write(LogLevel.Warning, $"Import: {source} was imported before and is not again, as "
                + $"{record.FilePath} says: remove --import-from from the command line, or the file.");
            record = null;
        }

        // Before the data are loaded: what is past its deadline stays until the source has removed it.
        if (record is not null)
            options.Configuration.Override("import-mode", "yes");
        CinnabarServer server = Start(options, new ListenChoice());
        if (record is not null)
            server._import = new Import(server._engine, server._host, source!, record);
        return server;
    }

    /// <summary>Begins to load the data, in the background.</summary>
    public void Load() => _engine.Loading.Begin(EndLoad);

    /// <summary>Starts a server.</summary>
    /// <exception cref="ArgumentException">A directive is not one, or may not be used; the message says
    /// why.</exception>
    /// <exception cref="ListenerFailedException">An address to listen on cannot be had.</exception>
    public static CinnabarServer Start(CinnabarServerOptions options)
    {
        var configuration = new ConfigurationRegistry();
        configuration.Override("bind", "127.0.0.1", "-::1");
        configuration.Override("port", (options.Port ?? 0).ToString(CultureInfo.InvariantCulture));
        foreach ((string name, string arguments) in options.Directives)
        {
            bool isOne = (configuration.FlagsOf(name) & DirectiveFlags.MultipleArguments) == 0;
            string[] words = isOne
                ? [arguments] : arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (configuration.Load([name, .. words], new ConfigurationOrigin(0, name)) is { } error)
                throw new ArgumentException($"{name} {arguments}: {error}", nameof(options));
        }

        if (configuration.FindRefusal() is { } refusal)
            throw new ArgumentException($"{refusal.Origin.Text}: {refusal.Reason}", nameof(options));
        var log = new DelegateLog(options.Log, configuration);
        configuration.AttachLog(log);
        bool hasDirectory = options.Directives.Any(static directive =>
            directive.Key.Equals("dir", StringComparison.OrdinalIgnoreCase));
        if (!hasDirectory)
            configuration.Override("save", "");
        CinnabarServer server = Start(
            new ServerOptions
            {
                Configuration = configuration,
                Log = log,
                LoopCount = options.LoopCount,
                IsMemoryChecked = options.IsMemoryChecked,
                LoadsData = hasDirectory,
            },
            new ListenChoice
            {
                IsPortFree = options.Port == 0,
                IsNowhereAllowed = true,
                TlsLibrary = options.TlsLibrary,
            });
        server.Load();
        return server;
    }

    /// <summary>Native memory that the server's data has mapped, in bytes; 0 once it is disposed.</summary>
    public long MappedBytes => _engine.Keyspace.MappedBytes;

    /// <summary>Saves before an end that a signal of the process asks for, where <c>save</c> and
    /// <c>shutdown-on-sigterm</c> or <c>shutdown-on-sigint</c> say so. Returns when that is done; clients
    /// that write wait from then on.</summary>
    /// <returns>False if it failed: the server must go on; or it ends by itself, as after SHUTDOWN.</returns>
    public bool TryPrepareEnd(bool isInterrupt)
    {
        if (Completion.IsCompleted)
            return false;
        var over = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        _engine.PrepareEnd(isInterrupt, ends => over.TrySetResult(ends));
        // A save that the server's own end interrupts may never call back.
        Task.WaitAny(Completion, over.Task);
        return !Completion.IsCompleted && over.Task.Result;
    }

    /// <summary>Makes a client without a socket, authenticated as the default user. From any
    /// thread.</summary>
    public CinnabarClient Connect()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return new CinnabarClient(_host, _engine.Settings.RequirePass);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    private static CinnabarServer Start(ServerOptions options, ListenChoice choice)
    {
        var server = new CinnabarServer(options, choice);
        try
        {
            server._engine.Loading.Prepare();
            server._host.Start();
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // A second caller waits until everything is freed.
        lock (_disposing)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            _engine.Loading.Stop();
            _import?.Dispose();
            _engine.EndReplication();
            _host.Dispose();
            _engine.Dispose();
            _ready.TrySetCanceled();
            _completion.TrySetResult(0);
        }
    }

    private void EndLoad(Exception? fault)
    {
        if (fault is null)
        {
            BeginImport();
            _ready.TrySetResult();
        }
        else if (fault is OperationCanceledException)
        {
            _ready.TrySetCanceled();
        }
        else
        {
            _ready.TrySetException(fault);
            _completion.TrySetResult(1);
        }
    }

    private void BeginImport()
    {
        try
        {
            _import?.Start();
        }
        catch (Exception fault) when (fault is ImportException or IOException or UnauthorizedAccessException)
        {
            _engine.Log.Write(LogLevel.Warning, "Import: " + fault.Message);
            _completion.TrySetResult(1);
        }
    }
}

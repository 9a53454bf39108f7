// The life of the process around a server:
//
//   command line, redis.conf ─► refuse or go on ─► background ─► log, pid file, name ─► start ─► ready
//        ─► wait for a signal or for the server to end by itself ─► stop ─► clean up ─► exit code
//
// Only this class touches what belongs to the whole process: working directory, signals, standard streams.

using System.IO;
using System.Threading.Tasks;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Importing;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;
using Cinnabar.Server.Configuration;
using Cinnabar.Server.Host;
using Cinnabar.Server.Logging;
using Cinnabar.Server.Tools;

namespace Cinnabar.Server;

/// <summary>Runs one server as a process, like redis-server.</summary>
internal sealed class ServerProcess
{
    private const int Success = 0;
    private const int Failure = 1;

    private const string SentinelRefusal = "Sentinel mode is not supported. Run redis-sentinel, or "
        + "redis-server --sentinel, of Redis or Valkey: it watches Cinnabar as it watches Redis.";

    private readonly IReadOnlyList<string> _arguments;
    private readonly TextWriter _output;
    private readonly TextWriter _error;
    private readonly ServerStarter _start;
    private readonly ConfigurationRegistry _registry;
    private readonly ServerLog _log;
    private readonly AutoResetEvent _wake = new(false);
    private volatile bool _isTitleStale;
    private volatile bool _isLoading;
    private ProcessTitle? _title;

    /// <summary>Prepares a run.</summary>
    /// <param name="arguments">The command line without the program's name.</param>
    /// <param name="streams">Standard output and standard error.</param>
    /// <param name="registry">A registry with every directive at its default.</param>
    /// <param name="start">Starts the server.</param>
    internal ServerProcess(
        IReadOnlyList<string> arguments,
        (TextWriter Output, TextWriter Error) streams,
        ConfigurationRegistry registry,
        ServerStarter start)
    {
        _arguments = arguments;
        (_output, _error) = streams;
        _registry = registry;
        _start = start;
        _log = new ServerLog(_output, static () => DateTimeOffset.Now);
    }

    /// <summary>The stop request of signals, shared with the server.</summary>
    internal StopRequest Stop { get; init; } = new();

    /// <summary>The name under which the program was started.</summary>
    internal string ProgramName { get; init; } = "";

    /// <summary>The report of fatal signals, shared with the server.</summary>
    internal CrashReport CrashReport { get; init; } = new(BuildInformation.ShortVersion);

    /// <summary>Does what the command line asks for; returns the exit code.</summary>
    internal int Run()
    {
        CommandLine line = CommandLine.Parse(_arguments, ProgramName);
        switch (line.Action)
        {
            case CommandLineAction.ShowVersion:
                _output.WriteLine(BuildInformation.Version);
                return Success;
            case CommandLineAction.ShowHelp:
                _error.Write(BuildInformation.Help);
                return Failure;
            case CommandLineAction.CheckSystem:
                return SystemCheck.Run(_output);
            case CommandLineAction.CheckRdb:
                return RdbCheckTool.Run(line.ToolArguments, line.ToolName, (_output, _error));
            case CommandLineAction.CheckAof:
                return AofCheckTool.Run(line.ToolArguments, line.ToolName, _output);
            case CommandLineAction.RestoreUntil:
                return RestoreTool.Run(line.ToolArguments, _output);
            case CommandLineAction.TestMemory:
                _error.WriteLine("Memory tests are not supported: use a tool such as memtester.");
                return Failure;
            case CommandLineAction.Sentinel:
                _error.WriteLine(SentinelRefusal);
                return Failure;
            case CommandLineAction.Run when line.ImportFault is { } fault:
                _error.WriteLine("--import-from: " + fault);
                return Failure;
            default:
                if (DescriptorBudget.FindShortage() is not string shortage)
                    return Load(line) ? Serve(line) : Failure;
                _log.Write(LogLevel.Warning, shortage);
                return Failure;
        }
    }

    private bool Load(CommandLine line)
    {
        try
        {
            new ConfigurationLoader(_registry).Load(line, Console.OpenStandardInput);
            if (line.ImportSource is null || _registry.TextOf("replicaof").Length == 0)
                return true;
            _error.WriteLine("--import-from: a replica has its master's data: remove replicaof");
            return false;
        }
        catch (FatalConfigurationException fault)
        {
            if (fault.Refusal is string reason)
                LogRefusal(line, reason);
            if (fault.IsLogLine)
                _log.Write(LogLevel.Warning, fault.Message);
            else
                _error.Write(fault.Message);
            return false;
        }
    }

    /// <summary>
    /// Logs the refusal of a correct configuration, so that the log alone says which process did not start,
    /// and why.
    /// </summary>
    private void LogRefusal(CommandLine line, string reason)
    {
        using IDisposable? systemLog = AttachLog();
        LogVersion(line);
        LogPicture();
        _log.Write(LogLevel.Warning, "This configuration is refused: " + reason);
    }

    private int Serve(CommandLine line)
    {
        bool isBackground = _registry.NumberOf("daemonize") != 0 && !OperatingSystem.IsWindows();
        if (isBackground && line.ReadsStandardInput)
        {
            _error.Write(FatalConfigurationException.Whole(
                "A configuration from standard input cannot be combined with daemonize yes").Message);
            return Failure;
        }
        Supervisor supervisor = Supervisor.Find(_registry, _log);
        isBackground &= !supervisor.IsPresent;
        if (isBackground && !OperatingSystem.IsWindows())
        {
            if (!Daemon.IsSecondProcess)
                return Daemon.Launch(_arguments, _output, _error);
            Daemon.Detach();
        }
        Environment.CurrentDirectory = ConfigurationText.ToPath(_registry.TextOf("dir"));
        using IDisposable? systemLog = AttachLog();
        if (!LogStart(line))
            return Failure;
        Stop.Changed = () => _wake.Set();
        using SignalWatch signals = new(OnSignal, () => _log.WriteSignal("Received SIGALRM"));
        WatchForCrashes();
        PidFile pidFile = new(_registry, isBackground, _log);
        int exitCode = StartAndWait(supervisor, pidFile, isBackground, line.ImportSource);
        pidFile.Remove(isLogged: exitCode == Success);
        if (exitCode == Success)
            _log.Write(LogLevel.Warning, "Cinnabar is now ready to exit, bye bye...");
        return exitCode;
    }

    private IDisposable? AttachLog()
    {
        if (_registry.NumberOf("syslog-enabled") == 0 || OperatingSystem.IsWindows())
        {
            _log.Attach(_registry, systemLog: null);
            return null;
        }
        // USER is 1, LOCAL0 to LOCAL7 are 16 to 23; the words are in this order.
        long facility = _registry.NumberOf("syslog-facility");
        SystemLog systemLog = new(
            ConfigurationText.ToPath(_registry.TextOf("syslog-ident")), facility == 0
                ? 1 : (int)facility + 15);
        _log.Attach(_registry, (level, message) =>
        {
            if (!OperatingSystem.IsWindows())
                systemLog.Write(SeverityOf(level), message);
        });
        return systemLog;
    }

    private static int SeverityOf(LogLevel level) => level switch
    {
        LogLevel.Debug => 7,
        LogLevel.Verbose => 6,
        LogLevel.Notice => 5,
        _ => 4,
    };

    private bool LogStart(CommandLine line)
    {
        LogVersion(line);
        _log.NoteRole(isReplica: _registry.TextOf("replicaof").Length > 0);
        _registry.AttachLog(_log);
        if (!new DescriptorBudget(_registry).Enforce(_log))
            return false;
        OomScore score = new(_registry, _log);
        _log.RoleNoted = score.NoteRole;
        score.Follow();
        if (_registry.NumberOf("disable-thp") != 0) ProcessControl.DisableHugePages();
        return true;
    }

    private void LogVersion(CommandLine line)
    {
        _log.Write(LogLevel.Notice, "oO0OoO0OoO0Oo Cinnabar is starting oO0OoO0OoO0Oo");
        _log.Write(LogLevel.Notice,
            $"Cinnabar version={ServerVersion.Cinnabar}, Redis version={ServerVersion.Redis}, "
            + $"bits={BuildInformation.Bits}, commit={ServerVersion.Commit}, pid={Environment.ProcessId}, "
            + "just started");
        bool isConfigured = line.ConfigurationPath is not null || line.ReadsStandardInput
            || line.Options.Length > 0;
        if (isConfigured)
            _log.Write(LogLevel.Notice, "Configuration loaded");
        else
            _log.Write(LogLevel.Warning,
                "Warning: no config file specified, using the default config. In order to "
                + "specify a config file use cinnabar-server /path/to/redis.conf");
    }

    /// <summary>
    /// Port and process id. Harnesses connect as soon as the log has the process id or "Server initialized":
    /// like Redis 7.0, write both only when the server listens.
    /// </summary>
    private void LogPicture()
    {
        string port = _registry.Settings.Port.ToString(CultureInfo.InvariantCulture);
        if (_registry.NumberOf("always-show-logo") != 0)
            _log.WriteRaw(LogLevel.Notice, BuildInformation.Logo(port, Environment.ProcessId));
        else
            _log.Write(LogLevel.Notice, $"Running mode=standalone, port={port}.");
    }

    private int StartAndWait(
        Supervisor supervisor, PidFile pidFile, bool isBackground, ImportAddress? source)
    {
        Debug.Assert(_title is null, "a process runs one server");
        _title = new ProcessTitle(_registry);
        _title.Apply();
        foreach (string name in (string[])["proc-title-template", "port", "bind"])
            _registry.Subscribe(name, RefreshTitle);
        IServerInstance server;
        try
        {
            server = _start(_registry, _log, source);
        }
        catch (IOException fault)
        {
            _log.Write(LogLevel.Warning, fault.Message);
            return Failure;
        }
        pidFile.Write();
        LogPicture();
        if (SystemCheck.FindLowBacklog(_registry.Settings.TcpBacklog) is string problem)
            _log.Write(LogLevel.Warning, "WARNING: " + problem);
        _log.Write(LogLevel.Notice, "Server initialized");
        // As with Redis, the process that was started ends here, though data may be loaded for long.
        if (isBackground && !OperatingSystem.IsWindows())
            Daemon.ReportReady();
        server.Load();
        return Wait(server, supervisor);
    }

    private void WatchForCrashes()
    {
        _registry.Subscribe("crash-log-enabled", Follow);
        Follow();
        CrashReport.Install(_log.FilePath);

        string? Follow()
        {
            CrashReport.IsEnabled = _registry.NumberOf("crash-log-enabled") != 0;
            return null;
        }
    }

    private string? RefreshTitle()
    {
        if (_title is { NeedsMainThread: false } title)
        {
            title.Apply();
            return null;
        }

        _isTitleStale = true;
        _wake.Set();
        return null;
    }

    /// <summary>
    /// One line for each kind of listener, exactly as in Redis; addresses only in verbose logs.
    /// </summary>
    private void LogListeners(IReadOnlyList<string> listeners)
    {
        HashSet<string> kinds = [];
        foreach (string listener in listeners)
        {
            _log.Write(LogLevel.Verbose, "Listening on " + listener);
            string kind = listener.Split(' ')[0];
            if (kinds.Add(kind))
                _log.Write(LogLevel.Notice, "Ready to accept connections " + kind);
        }
    }

    private int Wait(IServerInstance server, Supervisor supervisor)
    {
        _ = server.Completion.ContinueWith(
            _ => _wake.Set(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        _ = server.Ready.ContinueWith(
            _ => _wake.Set(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        // A load that has failed already ends the server: it never becomes ready.
        _isLoading = !server.Ready.IsCompletedSuccessfully;
        if (_isLoading)
            supervisor.ReportLoading();
        else
            ReportReady(server, supervisor);
        bool isStopping = false;
        while (!server.Completion.IsCompleted)
        {
            _wake.WaitOne();
            if (_isLoading && server.Ready.IsCompletedSuccessfully)
            {
                _isLoading = false;
                ReportReady(server, supervisor);
            }

            if (_isTitleStale)
            {
                _isTitleStale = false;
                _title?.Apply();
            }
            if (!Stop.TryBegin())
                continue;
            _log.Write(LogLevel.Notice, "User requested shutdown...");
            if (!server.TryPrepareEnd(Stop.IsInterrupt))
            {
                Stop.GiveUp();
                continue;
            }

            Debug.Assert(!isStopping, "a server is stopped once");
            isStopping = true;
            supervisor.ReportStopping();
            server.Stop();
        }
        if (!isStopping)
            supervisor.ReportStopping();
        return server.Completion.GetAwaiter().GetResult();
    }

    private void ReportReady(IServerInstance server, Supervisor supervisor)
    {
        LogListeners(server.Listeners);
        supervisor.ReportReady();
    }

    private void RemoveTemporarySnapshot()
    {
        string path = Path.Combine(ConfigurationText.ToPath(_registry.TextOf("dir")),
            RdbFilePlace.TemporaryNameOf(Environment.ProcessId));
        try
        {
            File.Delete(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.WriteSignal($"Failed to remove {path}: {SystemErrorText.Of(fault, path)}");
        }
    }

    private void OnSignal(PosixSignal signal)
    {
        bool isInterrupt = signal == PosixSignal.SIGINT;
        if (isInterrupt && Stop.IsMade)
        {
            _log.WriteSignal("You insist... exiting now.");
            RemoveTemporarySnapshot();
            Environment.Exit(Failure);
        }

        string name = isInterrupt ? "SIGINT" : "SIGTERM";
        _log.WriteSignal(_isLoading
            ? "Received shutdown signal during loading, scheduling shutdown."
            : $"Received {name} scheduling shutdown...");
        Stop.Make(isInterrupt);
    }
}

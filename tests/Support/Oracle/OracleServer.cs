using System;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Load.Servers;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>
/// Debian's redis-server on a free port, without persistence, until disposed; or, if a test asks for it, the
/// server at the path in CINNABAR_ORACLE, a newer redis-server or a valkey-server: most tests list
/// differences from Debian's, which would be wrong for another.
/// </summary>
public sealed class OracleServer : IDisposable
{
    /// <summary>Debian's redis-server.</summary>
    internal const string ProgramDefault = "redis-server";

    private const int AttemptCountMax = 5;
    private const int StartMsMax = 300_000;
    private const int PollMs = 20;
    private readonly DirectoryInfo _directory;
    private readonly Process _process;
    private readonly ReservedPort _port;

    private OracleServer(DirectoryInfo directory, Process process, ReservedPort port)
    {
        _directory = directory;
        _process = process;
        _port = port;
    }

    /// <summary>Whether redis-server is installed; tests that need it are skipped otherwise.</summary>
    public static bool IsInstalled => IsThere(ProgramDefault);

    /// <summary>Whether the server is there that <see cref="StartNamed"/> starts.</summary>
    public static bool IsNamedInstalled => IsThere(NamedOrDefault);

    /// <summary>Whether CINNABAR_ORACLE names a server.</summary>
    public static bool IsNamed => NamedProgram is not null;

    /// <summary>The program that CINNABAR_ORACLE names, else Debian's.</summary>
    internal static string NamedOrDefault => NamedProgram ?? ProgramDefault;

    private static string? NamedProgram =>
        Environment.GetEnvironmentVariable("CINNABAR_ORACLE") is { Length: > 0 } path ? path : null;

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => _port.Number;

    /// <summary>Starts a server and waits until it answers.</summary>
    /// <param name="options">Further options of its command line.</param>
    public static OracleServer Start(params ReadOnlySpan<string> options) => StartWith(null, options);

    /// <summary>Starts the server that CINNABAR_ORACLE names, else Debian's.</summary>
    public static OracleServer StartNamed() => StartProgram(NamedOrDefault, null, null, []);

    /// <summary>Starts Cinnabar's own program, to be compared with the others.</summary>
    /// <param name="options">Further options of its command line.</param>
    public static OracleServer StartOwn(params ReadOnlySpan<string> options) =>
        StartProgram(ServerProgram.FilePath, null, null, options);

    /// <summary>Starts Cinnabar's own program so that each command that can leave its loop does.</summary>
    /// <param name="options">Further options of its command line.</param>
    public static OracleServer StartOwnOffLoop(params ReadOnlySpan<string> options) =>
        StartProgram(ServerProgram.FilePath, "CINNABAR_OFF_LOOP", null, options);

    /// <summary>Starts a server with a configuration file, which the options of its command line
    /// override.</summary>
    public static OracleServer StartWith(string? configurationPath, params ReadOnlySpan<string> options) =>
        StartProgram(ProgramDefault, null, configurationPath, options);

    /// <inheritdoc/>
    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _port.Dispose();
        _directory.Delete(recursive: true);
    }

    /// <summary>A new connection.</summary>
    public RespClient Connect() => new(Port);

    private static OracleServer StartProgram(
        string program, string? variable, string? configurationPath, ReadOnlySpan<string> options)
    {
        ProcessStartInfo start = new(program);
        if (variable is not null) start.Environment[variable] = "1";
        if (configurationPath is not null) start.ArgumentList.Add(configurationPath);
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-oracle-");
        for (int attempt = 1; ; attempt++)
        {
            var port = new ReservedPort();
            Process process = Launch(start, directory, port.Number, options);
            if (IsReady(process, port.Number)) return new OracleServer(directory, process, port);
            process.Dispose();
            port.Dispose();
            if (attempt == AttemptCountMax) throw new IOException($"{program} does not start");
        }
    }

    private static bool IsThere(string program) => File.Exists(program) || Array.Exists(
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator),
        folder => File.Exists(Path.Combine(folder, program)));

    private static Process Launch(
        ProcessStartInfo program, DirectoryInfo directory, int port, ReadOnlySpan<string> options)
    {
        var start = new ProcessStartInfo(program.FileName) { WorkingDirectory = directory.FullName };
        foreach ((string name, string? value) in program.Environment) start.Environment[name] = value;
        string[] fixedOptions =
        [
            "--port", $"{port}", "--bind", "127.0.0.1",
            "--save", "", "--appendonly", "no", "--logfile", "log",
            "--dir", directory.FullName, "--daemonize", "no", "--supervised", "no", "--pidfile", "pid",
        ];
        foreach (string option in (string[])[.. program.ArgumentList, .. fixedOptions, .. options])
            start.ArgumentList.Add(option);
        return Process.Start(start) ?? throw new IOException($"{program.FileName} does not start");
    }

    private static bool IsReady(Process process, int port)
    {
        long endMs = Environment.TickCount64 + StartMsMax;
        for (; Environment.TickCount64 < endMs; Thread.Sleep(PollMs))
        {
            if (process.HasExited) return false;
            try
            {
                using var client = new RespClient(port);
                string answer = client.Call("PING").Text;
                if (answer == "PONG" || answer.StartsWith("NOAUTH", StringComparison.Ordinal)) return true;
            }
            catch (SocketException)
            {
                // Not listening yet: asked again until it does or the time is over.
            }
        }

        process.Kill();
        return false;
    }
}

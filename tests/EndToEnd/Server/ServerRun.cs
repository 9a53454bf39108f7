using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The built server as a process with its own directory.</summary>
internal sealed class ServerRun : IDisposable
{
    /// <summary>Far longer than any step takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private readonly StringBuilder _output = new();
    private readonly StringBuilder _error = new();
    private readonly ManualResetEventSlim _ready = new();
    private readonly ReservedPort _port = new();
    private readonly Process _process;

    /// <summary>Starts it; the options follow those for its port and directory.</summary>
    public ServerRun(string? configurationPath, params string[] options)
        : this(("CINNABAR_TEST_RUN", "1"), configurationPath, options)
    {
    }

    /// <summary>The same with a variable in its environment.</summary>
    public ServerRun((string Name, string Value) environment, string? configurationPath,
        params string[] options)
        : this(environment)
    {
        string[] path = configurationPath is null ? [] : [configurationPath];
        string[] own = ["--port", Port.ToString(CultureInfo.InvariantCulture), "--dir", Home];
        Start("", [.. path, .. own, .. options]);
    }

    private ServerRun((string Name, string Value) environment)
    {
        // A shell has what it starts in the background ignore SIGINT, these tests for instance, and so would
        // what they start; env becomes the program that it starts.
        string program = ServerProgram.FilePath;
        string[] words = OperatingSystem.IsLinux() ? ["env", "--default-signal=INT", program] : [program];
        ProcessStartInfo start = new(words[0], words[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Home,
        };
        start.Environment[environment.Name] = environment.Value;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(_output, line.Data);
        _process.ErrorDataReceived += (_, line) => Take(_error, line.Data);
    }

    /// <summary>Starts it with these arguments and nothing else.</summary>
    /// <param name="input">What it reads from standard input, with "{port}" for <see cref="Port"/>.</param>
    /// <param name="arguments">Its command line.</param>
    public static ServerRun Plain(string input, params string[] arguments)
    {
        ServerRun run = new(("CINNABAR_TEST_RUN", "1"));
        string port = run.Port.ToString(CultureInfo.InvariantCulture);
        run.Start(input.Replace("{port}", port, StringComparison.Ordinal), arguments);
        return run;
    }

    public string Home { get; } = Directory.CreateTempSubdirectory("cinnabar-run-").FullName;

    public int Port => _port.Number;

    public int ProcessId => _process.Id;

    public string Output
    {
        get
        {
            lock (_output)
                return _output.ToString();
        }
    }

    public string Error
    {
        get
        {
            lock (_error)
                return _error.ToString();
        }
    }

    public void WaitUntilReady()
    {
        if (!_ready.Wait(HangMs))
            throw new TimeoutException($"the server is not ready; it said:\n{Output}{Error}");
    }

    /// <summary>Waits until it has printed this, once or more often; gives all it has printed.</summary>
    public string WaitFor(string text, int count = 1)
    {
        for (long start = Environment.TickCount64; ; Thread.Sleep(10))
        {
            string output = Output;
            if (output.Split(text).Length > count)
                return output;
            if (Environment.TickCount64 - start > HangMs)
                throw new TimeoutException($"the server does not say {text}; it said:\n{output}{Error}");
        }
    }

    /// <summary>Waits for the end; returns the exit code.</summary>
    public int WaitForEnd()
    {
        if (!_process.WaitForExit(HangMs))
            throw new TimeoutException($"the server does not end; it said:\n{Output}{Error}");
        _process.WaitForExit();
        return _process.ExitCode;
    }

    /// <summary>Sends a signal to the server, or to another process.</summary>
    public void Signal(string name, int? processId = null)
    {
        string id = (processId ?? _process.Id).ToString(CultureInfo.InvariantCulture);
        using Process kill = Process.Start("kill", ["-" + name, id]);
        kill.WaitForExit();
    }

    /// <summary>Has another process of the server end, and waits until it has: it may write its files until
    /// then.</summary>
    public void End(int processId)
    {
        Signal("TERM", processId);
        for (long start = Environment.TickCount64; IsRunning(processId); Thread.Sleep(10))
        {
            if (Environment.TickCount64 - start > HangMs)
                throw new TimeoutException($"process {processId} does not end");
        }
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _port.Dispose();
        _ready.Dispose();
        Directory.Delete(Home, recursive: true);
    }

    private void Start(string input, string[] arguments)
    {
        foreach (string argument in arguments)
            _process.StartInfo.ArgumentList.Add(argument);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        _process.StandardInput.Write(input);
        _process.StandardInput.Close();
    }

    // A process that has ended and was not waited for is a zombie: "17 (cinnabar-server) Z 1 ...".
    private static bool IsRunning(int processId)
    {
        try
        {
            string status = File.ReadAllText($"/proc/{processId}/stat");
            return status[status.LastIndexOf(')') + 2] != 'Z';
        }
        catch (IOException)
        {
            return false;
        }
    }

    private void Take(StringBuilder text, string? line)
    {
        if (line is null)
            return;
        lock (text)
            text.Append(line).Append('\n');
        if (line.EndsWith("* Ready to accept connections tcp", StringComparison.Ordinal)
            || line.EndsWith("* Ready to accept connections tls", StringComparison.Ordinal))
            _ready.Set();
    }
}

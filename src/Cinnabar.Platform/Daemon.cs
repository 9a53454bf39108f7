// Going to the background. A runtime with threads cannot fork, so the server is started a second time:
//
//   first process                                second process (same program, same arguments)
//   Launch: start it, its output on a pipe ────► IsSecondProcess: yes. Detach: a session of its own
//   keeps its output                              reads the configuration, binds, loads
//   reads the mark: exit code 0 ◄──────────────── ReportReady: the mark, then /dev/null for the standard
//                                                 streams
//   or reads the end: shows the output ◄───────── failed before that
//   and ends with its exit code
//
// So a caller that waits for the first process knows that the server is up, or why not. The second process
// recognises itself by an environment variable, which Detach removes.
using System.IO;
using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>Starts the running program again in the background.</summary>
[UnsupportedOSPlatform("windows")]
public static class Daemon
{
    private const string Variable = "CINNABAR_DAEMON";
    private const string Mark = "cinnabar-daemon-ready";

    /// <summary>Whether this process is the one that runs in the background.</summary>
    public static bool IsSecondProcess => Environment.GetEnvironmentVariable(Variable) == "1";

    /// <summary>Starts the second process and waits until it is ready or has ended.</summary>
    /// <param name="arguments">The program's arguments, which the second process gets too.</param>
    /// <param name="output">Gets what the second process printed, if it ended before it was ready.</param>
    /// <param name="error">Gets its standard error until it is ready.</param>
    /// <returns>The exit code with which this process shall end: 0 if the other is ready.</returns>
    public static int Launch(IReadOnlyList<string> arguments, TextWriter output, TextWriter error)
    {
        string program = Environment.ProcessPath
            ?? throw new InvalidOperationException("the system does not say which program this is");
        // The runtime keeps copies of its standard streams that cannot be closed. So the second process must
        // not inherit the caller's: a reader that waits for their end would wait for the server's.
        ProcessStartInfo start = new(program)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment[Variable] = "1";
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
            start.ArgumentList.Add(Environment.GetCommandLineArgs()[0]);
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        using Process process = Process.Start(start)
            ?? throw new InvalidOperationException($"{program} was not started");
        process.StandardInput.Close();
        process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is not null)
                error.WriteLine(line.Data);
        };
        process.BeginErrorReadLine();
        // A server in the background prints to its caller only why it failed to start.
        List<string> printed = [];
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (line == Mark)
                return 0;
            printed.Add(line);
        }
        foreach (string line in printed)
            output.WriteLine(line);
        process.WaitForExit();
        return process.ExitCode;
    }

    /// <summary>In the second process, first of all: leaves the terminal's session.</summary>
    public static void Detach()
    {
        Environment.SetEnvironmentVariable(Variable, null);
        ProcessControl.StartSession();
    }

    /// <summary>In the second process, when it serves: lets the first one end, and closes the standard
    /// streams.</summary>
    public static void ReportReady()
    {
        Console.Out.Flush();
        using (Stream pipe = Console.OpenStandardOutput())
            pipe.Write(Encoding.ASCII.GetBytes(Mark + "\n"));
        ProcessControl.CloseStandardStreams();
    }
}

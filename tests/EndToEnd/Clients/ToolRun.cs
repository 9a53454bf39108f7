using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>Runs a client program to its end.</summary>
internal static class ToolRun
{
    /// <summary>Far longer than any tool takes: it only ends a test that hangs.</summary>
    private const int HangMs = 600_000;

    /// <summary>Runs a program of the folder node with a server's port and other arguments: it says "ok" at
    /// its end.</summary>
    public static void Node(string file, int port, params string[] others) =>
        RunOk("node", Path.Combine(Folder(), "node", file), port, others);

    /// <summary>Runs a Python program of this project with a server's port: it says "ok" at its
    /// end.</summary>
    /// <param name="file">Its path below the project's folder.</param>
    /// <param name="port">The port.</param>
    public static void Python(string file, int port) =>
        RunOk("/usr/bin/python3", Path.Combine(Folder(), file), port);

    /// <summary>Its output, standard output and errors together; fails if it does not exit with 0.</summary>
    public static string Run(string program, string input, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        var error = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEndAsync();
        process.StandardInput.Write(input);
        process.StandardInput.Close();
        if (!process.WaitForExit(HangMs))
        {
            process.Kill();
            throw new TimeoutException($"{program} hangs; it said {output.Result}{error.Result}");
        }

        if (process.ExitCode != 0)
            throw new InvalidOperationException(
                $"{program} ended with {process.ExitCode}: {output.Result}{error.Result}");
        return output.Result + error.Result;
    }

    private static void RunOk(string program, string path, int port, params string[] others) =>
        Assert.Contains("ok", Run(program, "",
            [path, port.ToString(CultureInfo.InvariantCulture), .. others]), StringComparison.Ordinal);

    private static string Folder([CallerFilePath] string path = "") =>
        Path.GetDirectoryName(Path.GetDirectoryName(path))!;
}

using System;
using System.Diagnostics;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>Runs a client program to its end.</summary>
internal static class ToolRun
{
    /// <summary>Far longer than any tool takes: it only ends a test that hangs.</summary>
    private const int HangMs = 600_000;

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
}

using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>What a program said until it ended.</summary>
internal sealed record ProgramResult(int ExitCode, string Output, string Error)
{
    /// <summary>Whether there is such a program.</summary>
    public static bool CanRun(string program) => Array.Exists(
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator),
        folder => File.Exists(Path.Combine(folder, program)));

    /// <summary>Runs a program to its end.</summary>
    public static ProgramResult Of(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return new ProgramResult(process.ExitCode, output, error.GetAwaiter().GetResult());
    }
}

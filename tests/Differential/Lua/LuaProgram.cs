using System;
using System.Diagnostics;
using System.IO;
using System.Text;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Debian's <c>lua5.1</c>.</summary>
internal static class LuaProgram
{
    private const string Name = "lua5.1";

    // Far longer than any script takes: it only ends a test that hangs.
    private const int HangMs = 300_000;

    /// <summary>Whether it is installed; tests that need it are skipped otherwise.</summary>
    public static bool IsInstalled { get; } = Array.Exists(
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator),
        folder => File.Exists(Path.Combine(folder, Name)));

    /// <summary>What a script prints, one char a byte; a script that fails is a failure.</summary>
    public static string Run(string source)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllText(path, source, Encoding.Latin1);
            using Process process = Process.Start(new ProcessStartInfo(Name, [path])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                StandardOutputEncoding = Encoding.Latin1,
            })!;
            var errors = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            if (!process.WaitForExit(HangMs))
                process.Kill();
            Assert.True(process.HasExited && process.ExitCode == 0, output + errors.Result);
            return output;
        }
        finally
        {
            File.Delete(path);
        }
    }
}

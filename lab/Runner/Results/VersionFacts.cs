using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>Which versions of the programs are at work.</summary>
internal static class VersionFacts
{
    /// <summary>Name to version; what is not installed, or says nothing, is not in it.</summary>
    public static IReadOnlyDictionary<string, string> Read(string root)
    {
        (string Name, string[] Words)[] questions =
        [
            ("commit", ["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12"]),
            ("redis-server", ["redis-server", "--version"]),
            ("redis-benchmark", ["redis-benchmark", "--version"]),
            ("dotnet", ["dotnet", "--version"]),
        ];
        var versions = new Dictionary<string, string>();
        foreach ((string name, string[] words) in questions)
            if (Ask(words) is { Length: > 0 } answer) versions[name] = answer;
        return versions;
    }

    private static string? Ask(string[] words)
    {
        try
        {
            var start = new ProcessStartInfo(words[0], words[1..])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            using Process process = Process.Start(start)!;
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? output.Split('\n').First().Trim() : null;
        }
        catch (Win32Exception)
        {
            return null; // Not installed.
        }
    }
}

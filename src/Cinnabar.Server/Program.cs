using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;
using Cinnabar.Server.Configuration;

namespace Cinnabar.Server;

/// <summary>
/// The executable <c>cinnabar-server</c>: command line, configuration file, composition root.
/// </summary>
internal static class Program
{
    private static int Main(string[] arguments)
    {
        using StreamWriter output = Open(Console.OpenStandardOutput());
        using StreamWriter error = Open(Console.OpenStandardError());
        CommandRenameCheck renames = new();
        UserLineCheck users = new();
        ConfigurationRegistry registry = new() { RenameCheck = renames.Find, UserCheck = users.Find };
        StopRequest stop = new();
        CrashReport crashReport = new(BuildInformation.ShortVersion);
        return new ServerProcess(arguments, (output, error), registry,
            (configuration, log, source) =>
                ServerInstance.Start(configuration, log, source, crashReport, stop))
        {
            ProgramName = NameOfProgram(),
            Stop = stop,
            CrashReport = crashReport,
        }.Run();
    }

    // As it was called: the managed form's own name is that of its library, whatever link leads to it.
    private static string NameOfProgram()
    {
        string[] words = OperatingSystem.IsLinux()
            ? File.ReadAllText("/proc/self/cmdline").Split('\0') : Environment.GetCommandLineArgs();
        return words[0];
    }

    private static StreamWriter Open(Stream stream) =>
        new(stream, new UTF8Encoding(false)) { AutoFlush = true };
}

using System;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Servers;
using Spectre.Console;

namespace Cinnabar.Bench;

/// <summary>The command line of the benchmarks; also the null server, as a process of its own.</summary>
internal static class Program
{
    private const int WidthWithoutTerminal = 200;

    private static int Main(string[] args)
    {
        try
        {
            // A table that goes to a file is as wide as it needs.
            if (Console.IsOutputRedirected)
            {
                AnsiConsole.Profile.Width = WidthWithoutTerminal;
                AnsiConsole.Profile.Capabilities.Ansi = false;
            }
            string[] words = args is ["--root", _, .. string[] rest] ? rest : args;
            if (words is [KnownServers.Floor or KnownServers.FloorRing, .. string[] floor])
                return RunFloor(floor, isRing: words[0] == KnownServers.FloorRing);
            BenchOptions options = BenchOptions.Parse(args);
            bool isNothing = options.Suites.Count == 0 && options.Load is null && !options.IsMarkdown;
            if (options.IsHelp || isNothing)
            {
                Console.WriteLine(HelpText.Whole(SuiteRunner.All));
                return options.IsHelp ? 0 : 2;
            }
            if (options.Load is not null) new LoadVerb(options).Run();
            else new SuiteRunner(options).Run();
            return 0;
        }
        catch (LoadException failure)
        {
            Console.Error.WriteLine($"cinnabar-bench: {failure.Message}");
            return 1;
        }
    }

    private static int RunFloor(string[] args, bool isRing)
    {
        // Port and data size, by the names that a load has for them.
        LoadOptions options = LoadArguments.Parse(args);
        if (!OperatingSystem.IsLinux()) throw new LoadException("the null server needs Linux");
        using var stop = new CancellationTokenSource();
        using var onTerminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal =>
        {
            signal.Cancel = true;
            stop.Cancel();
        });
        (int port, int dataSize) = (options.Server.Port, options.Data.Maximum);
        if (isRing)
        {
            using var server = new NullRingServer(port, dataSize);
            server.Run(stop.Token);
        }
        else
        {
            using var server = new NullServer(port, dataSize);
            server.Run(stop.Token);
        }
        return 0;
    }
}

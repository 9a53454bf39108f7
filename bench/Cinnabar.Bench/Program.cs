using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Servers;
using Cinnabar.Bench.Suites;

namespace Cinnabar.Bench;

/// <summary>The command line of the benchmarks; also the null server, as a process of its own.</summary>
internal static class Program
{
    private static int Main(string[] args)
    {
        try
        {
            if (args is ["null-server", string port, string requestSize, string replySize])
            {
                new NullServer(Number(requestSize), Number(replySize)).Run(Number(port));
                return 0;
            }
            var options = BenchOptions.Parse(args);
            if (options.IsHelp || (options.Suites.Count == 0 && !options.IsMarkdown))
            {
                PrintHelp();
                return options.IsHelp ? 0 : 2;
            }
            LoadThread.PinProcess(options.LoadCore);
            new SuiteRunner(options).Run();
            return 0;
        }
        catch (LoadException failure)
        {
            Console.Error.WriteLine($"cinnabar-bench: {failure.Message}");
            return 1;
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static void PrintHelp()
    {
        Console.WriteLine("./x bench SUITE… [options]     (or all)");
        foreach (ISuite suite in SuiteRunner.All)
            Console.WriteLine($"  {suite.Name,-16} {suite.Title} ({suite.Servers})");
        Console.WriteLine(string.Join('\n',
            "  --rounds N        how often each server is measured, in turn with the others",
            "  --seconds S       how long one measurement takes, where a suite measures for a time",
            "  --keys N          how many keys",
            "  --servers A,B     redis, cinnabar, cinnabar-portable, null; or NAME=COMMAND, one a --servers,",
            "                    with {p} for the port",
            "  --server-core N   the core of the servers (0); --load-core N: of the load (1)",
            "  --markdown        write docs/performance.md from the last report of every suite"));
    }
}

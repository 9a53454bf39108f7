using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;

namespace Cinnabar.Lab.Runner;

/// <summary>The lab's command line.</summary>
internal static class Program
{
    private const int ExitFailed = 1;
    private const int ExitUsage = 2;
    private const int ExitEnded = 130;

    private static int Main(string[] words)
    {
        try
        {
            LabOptions options = LabOptions.Parse(words);
            if (!options.IsHelp) return options.IsReportOnly ? ShowAgain(options) : Run(options);
            Console.WriteLine(LabOptions.Help);
            return 0;
        }
        catch (LabException wrong)
        {
            Console.Error.WriteLine($"lab: {wrong.Message}");
            return ExitUsage;
        }
    }

    private static int Run(LabOptions options)
    {
        LabPlan plan = options.Plan;
        IReadOnlyList<StationEntry> stations = Chosen(options);
        IReadOnlyList<Finding> findings = FindingsFor(options);
        var file = new ResultFile(options.File);
        LabDocument document = Begun(file, options, stations);
        IReadOnlyList<IWorkload> workloads = [.. plan.Workloads.Select(name => WorkloadOf(name, plan))];
        List<Step> steps = [.. Step.All(plan.Rounds, workloads, stations)];
        if (options.IsBuilt) Build(options.Root, steps.Select(step => step.Station));
        var lab = new Lab(plan, options.Root, file);
        Action<PosixSignalContext> end = signal =>
        {
            signal.Cancel = true;
            lab.End();
        };
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, end);
        using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, end);
        try
        {
            document = lab.Run(document, steps, findings, new LabDisplay());
            LabDisplay.Close(document, file.Path);
            bool isShown = Show(options);
            return document.Runs.Any(run => run.Failure is not null) || !isShown ? ExitFailed : 0;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine($"lab: ended; what was measured is in {file.Path}, --resume goes on");
            return ExitEnded;
        }
    }

    private static int ShowAgain(LabOptions options)
    {
        var file = new ResultFile(options.File);
        LabDocument? document = file.Load();
        if (document is null) throw new LabException($"no figures in {options.File}");
        file.Save(document.Tried(FindingsFor(options)));
        return Show(options) ? 0 : ExitFailed;
    }

    private static IReadOnlyList<Finding> FindingsFor(LabOptions options) =>
        Finding.Read(Path.Combine(options.Root, "lab/findings.json"));

    private static bool Show(LabOptions options)
    {
        var report = new Report(options.Root);
        string? page = report.Build(options.File);
        if (page is null) return false;
        Console.WriteLine(page);
        return !options.IsPublished || report.Publish(options.File, page);
    }

    private static IReadOnlyList<StationEntry> Chosen(LabOptions options)
    {
        IReadOnlyList<StationEntry> all = StationEntry.Read(options.Stations
            ?? Path.Combine(options.Root, "lab/stations.json"));
        IReadOnlyList<string> only = options.Plan.Only;
        string? unknown = only.FirstOrDefault(name => all.All(station => station.Name != name));
        if (unknown is not null) throw new LabException($"no station is called {unknown}");
        return only.Count == 0 ? all : [.. all.Where(station => only.Contains(station.Name))];
    }

    private static LabDocument Begun(ResultFile file, LabOptions options,
        IReadOnlyList<StationEntry> stations)
    {
        if (options.IsResumed && file.Load() is { } begun)
            return ResultFile.IsSame(begun.Plan, options.Plan) ? begun with { EndedAt = null }
                : throw new LabException($"{file.Path} was measured with other options: not resumed");
        return new LabDocument
        {
            Plan = options.Plan,
            StartedAt = DateTimeOffset.UtcNow,
            Machine = MachineFacts.Read(),
            Versions = VersionFacts.Read(options.Root),
            Stations = stations,
        };
    }

    private static IWorkload WorkloadOf(string name, LabPlan plan) => name switch
    {
        "missing" => new MixWorkload(plan, isPresent: false),
        "present" => new MixWorkload(plan, isPresent: true),
        "sweep" => new SweepWorkload(plan),
        _ => throw new LabException($"no workload is called {name}"),
    };

    private static void Build(string root, IEnumerable<StationEntry> stations)
    {
        foreach (string project in stations.Select(station => station.Project).OfType<string>().Distinct())
        {
            Console.WriteLine($"build {project}");
            var start = new ProcessStartInfo("dotnet",
                ["build", Path.Combine(root, project), "-c", "Release", "-v", "q", "--nologo"])
            {
                RedirectStandardOutput = true,
            };
            using Process build = Process.Start(start) ?? throw new LabException("no dotnet");
            string output = build.StandardOutput.ReadToEnd();
            build.WaitForExit();
            // Its station will not start, which will be said; the others are measured all the same.
            if (build.ExitCode != 0) Console.Error.WriteLine(output);
        }
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench;

/// <summary>What the command line asks for.</summary>
internal sealed class BenchOptions
{
    /// <summary>The suites to run, by name.</summary>
    public List<string> Suites { get; } = [];

    /// <summary>How often each server is measured; null leaves it to the suite.</summary>
    public int? Rounds { get; private set; }

    /// <summary>How long one measurement takes; null leaves it to the suite.</summary>
    public double? Seconds { get; private set; }

    /// <summary>How many keys; null leaves it to the suite.</summary>
    public long? KeyCount { get; private set; }

    /// <summary>The servers; empty leaves them to the suite.</summary>
    public List<ServerSpec> Servers { get; } = [];

    /// <summary>Whether docs/performance.md is to be written.</summary>
    public bool IsMarkdown { get; private set; }

    /// <summary>Whether only the options are asked for.</summary>
    public bool IsHelp { get; private set; }

    /// <summary>The repository's root.</summary>
    public string Root { get; private set; } = Environment.CurrentDirectory;

    /// <summary>The core of the servers.</summary>
    public int ServerCore { get; private set; }

    /// <summary>The core of the load generator.</summary>
    public int LoadCore { get; private set; } = 1;

    /// <summary>Reads the command line.</summary>
    /// <exception cref="LoadException">It is wrong; the message says where.</exception>
    public static BenchOptions Parse(string[] args)
    {
        var options = new BenchOptions();
        var servers = new List<string>();
        for (int index = 0; index < args.Length; index++)
        {
            string arg = args[index];
            if (!arg.StartsWith('-')) options.Suites.Add(arg);
            else if (arg == "--markdown") options.IsMarkdown = true;
            else if (arg is "--help" or "-h") options.IsHelp = true;
            else if (++index == args.Length) throw new LoadException($"{arg} needs a value");
            else if (arg == "--servers") servers.AddRange(Split(args[index]));
            else options.Set(arg, args[index]);
        }
        options.Servers.AddRange(servers.Select(server => ServerSpec.Parse(server, options.Root)));
        return options;
    }

    // A command may hold commas, a list of names has no equals sign.
    private static IEnumerable<string> Split(string servers) =>
        servers.Contains('=', StringComparison.Ordinal) ? [servers] : servers.Split(',');

    private void Set(string name, string value)
    {
        switch (name)
        {
            case "--rounds": Rounds = (int)Number(name, value); break;
            case "--seconds": Seconds = Number(name, value); break;
            case "--keys": KeyCount = (long)Number(name, value); break;
            case "--root": Root = value; break;
            case "--server-core": ServerCore = (int)Number(name, value); break;
            case "--load-core": LoadCore = (int)Number(name, value); break;
            default: throw new LoadException($"unknown option {name}");
        }
    }

    private static double Number(string name, string value) =>
        double.TryParse(value, CultureInfo.InvariantCulture, out double number) && number >= 0
            ? number : throw new LoadException($"{name} needs a number, not {value}");
}

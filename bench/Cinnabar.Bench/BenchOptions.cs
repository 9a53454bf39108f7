using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench;

/// <summary>The options of the command line, except those of a load.</summary>
internal sealed class BenchOptions
{
    /// <summary>The suites to run, by name.</summary>
    public List<string> Suites { get; } = [];

    /// <summary>The options of the load to run instead; null where suites are run.</summary>
    public LoadArguments? Load { get; private set; }

    /// <summary>How often each server is measured; null leaves it to the suite.</summary>
    public int? Rounds { get; private set; }

    /// <summary>How long one measurement takes; null leaves it to the suite.</summary>
    public double? Seconds { get; private set; }

    /// <summary>How long a load runs before it is measured, in seconds; null leaves it to the load.</summary>
    public double? WarmUpSeconds { get; private set; }

    /// <summary>How many keys; null leaves it to the suite.</summary>
    public long? KeyCount { get; private set; }

    /// <summary>The only rows to measure, in a suite of many; empty: all.</summary>
    public IReadOnlyList<string> Only { get; private set; } = [];

    /// <summary>Whether suites run for seconds only, to check that they work.</summary>
    public bool IsQuick { get; private set; }

    /// <summary>The servers, as given; empty leaves them to the suite.</summary>
    public List<string> Servers { get; } = [];

    /// <summary>Servers measured beside those of each suite, as <c>name=executable</c> or
    /// <c>name=command with {port}</c>.</summary>
    public List<string> Also { get; } = [];

    /// <summary>Keys a second in a suite that loads all servers alike; null leaves it to the suite.</summary>
    public double? InsertRate { get; private set; }

    /// <summary>The reference of ratios; null leaves it to the report.</summary>
    public string? Reference { get; private set; }

    /// <summary>Where a copy of the results goes as JSON; null: nowhere.</summary>
    public string? JsonPath { get; private set; }

    /// <summary>Whether to write docs/performance.json and docs/performance.md.</summary>
    public bool IsMarkdown { get; private set; }

    /// <summary>Whether all other processes are kept off the servers' cores.</summary>
    public bool IsReserving { get; private set; }

    /// <summary>Whether to print only the options.</summary>
    public bool IsHelp { get; private set; }

    /// <summary>The repository's root.</summary>
    public string Root { get; private set; } = Environment.CurrentDirectory;

    /// <summary>The cores of the servers; null leaves them to the suite, and a load's server
    /// free.</summary>
    public IReadOnlyList<int>? ServerCores { get; private set; }

    /// <summary>The cores of a suite's load; null: the second one.</summary>
    public IReadOnlyList<int>? LoadCores { get; private set; }

    /// <summary>Reads the command line.</summary>
    /// <exception cref="LoadException">It is wrong; the message says where.</exception>
    public static BenchOptions Parse(IReadOnlyList<string> args)
    {
        var options = new BenchOptions();
        for (int index = 0; index < args.Count;)
        {
            string arg = args[index];
            if (arg == "load" && options.Load is null && options.Suites.Count == 0)
            {
                options.Load = new LoadArguments();
                index++;
            }
            else if (options.TakeFlag(arg)) index++;
            else if (options.Load is null && !arg.StartsWith('-'))
            {
                options.Suites.Add(arg);
                index++;
            }
            else if (!options.TakeValue(args, ref index)
                && options.Load?.TryTake(args, ref index) != true)
                throw new LoadException($"unknown option {arg}");
        }
        return options;
    }

    /// <summary>The given servers, or these; and those to measure beside them.</summary>
    /// <exception cref="LoadException">One is neither a known name nor a server.</exception>
    public List<ServerSpec> ServersOr(string names)
    {
        var known = new KnownServers(Root);
        IEnumerable<string> servers = Servers.Count > 0 ? Servers : names.Split(',');
        return [.. servers.Select(server => known.Parse(server)), .. Also.Select(KnownServers.ParseBinary)];
    }

    private bool TakeFlag(string name)
    {
        switch (name)
        {
            case "--help": IsHelp = true; break;
            case "--quick": IsQuick = true; break;
            case "--reserve": IsReserving = true; break;
            case "--markdown": IsMarkdown = true; break;
            default: return false;
        }
        return true;
    }

    private bool TakeValue(IReadOnlyList<string> args, ref int index)
    {
        string arg = args[index];
        int equals = arg.IndexOf('=', StringComparison.Ordinal);
        string name = equals < 0 ? arg : arg[..equals];
        Action<string>? take = Option(name) ?? (Load is null ? SuiteOption(name) : null);
        if (take is null) return false;
        if (equals < 0 && ++index == args.Count) throw new LoadException($"{name} needs a value");
        take(equals < 0 ? args[index] : arg[(equals + 1)..]);
        index++;
        return true;
    }

    private Action<string>? Option(string name) => name switch
    {
        "--server" => Servers.Add,
        // A command may hold commas, a list of names has no equals sign.
        "--servers" => value => Servers.AddRange(value.Contains('=') ? [value] : value.Split(',')),
        "--also" => Also.Add,
        "-x" or "--rounds" or "--run-count" => value => Rounds = (int)Math.Max(1, Number(name, value)),
        "--warm-up" => value => WarmUpSeconds = Number(name, value),
        "--reference" => value => Reference = value,
        "--json" or "--json-out-file" => value => JsonPath = value,
        "--root" => value => Root = value,
        "--server-cores" => value => ServerCores = LoadArguments.CoreList(value),
        _ => null,
    };

    private Action<string>? SuiteOption(string name) => name switch
    {
        "--seconds" => value => Seconds = Number(name, value),
        "--rate" => value => InsertRate = Number(name, value),
        "--keys" => value => KeyCount = (long)Number(name, value),
        "--only" => value => Only = Regex.Split(value, ",(?! )"),
        "--load-cores" => value => LoadCores = LoadArguments.CoreList(value),
        _ => null,
    };

    private static double Number(string name, string value) =>
        double.TryParse(value, CultureInfo.InvariantCulture, out double number) && number >= 0
            ? number : throw new LoadException($"{name} needs a number, not {value}");
}

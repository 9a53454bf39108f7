using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Load.Requests;
using Cinnabar.Platform;

namespace Cinnabar.Load;

/// <summary>
/// Reads the command line of a load: memtier_benchmark's options, and redis-benchmark's where they are called
/// otherwise and their values decide which is meant (<c>-P 16</c> is a pipeline, <c>-P resp3</c> a protocol;
/// <c>-s /path</c> a unix socket, <c>-s name</c> a host). Where the two programs disagree on what a number
/// counts (<c>-c</c>, <c>-n</c>), memtier is followed: clients a thread, requests a client. Values stand
/// behind a blank or an equals sign.
/// </summary>
public sealed class LoadArguments
{
    private readonly List<CommandTemplate> _commands = [];
    private LoadOptions _options = new();
    private (int Sets, int Gets) _ratio = (1, 10);
    private string _pattern = "R:R";
    private bool _hasLimit;

    /// <summary>Whether an option said where the server is.</summary>
    public bool HasServer { get; private set; }

    /// <summary>Whether to set every key once before the load.</summary>
    public bool IsPopulating { get; private set; }

    /// <summary>Reads a command line with only a load's options.</summary>
    /// <exception cref="LoadException">An option is unknown or wrong.</exception>
    public static LoadOptions Parse(params IReadOnlyList<string> args)
    {
        var arguments = new LoadArguments();
        for (int index = 0; index < args.Count;)
            if (!arguments.TryTake(args, ref index)) throw new LoadException($"unknown option {args[index]}");
        return arguments.ToOptions();
    }

    /// <summary>Takes the option at an index, with its value, if it is a load's; or, where no option stands,
    /// all words from there on as a command.</summary>
    /// <exception cref="LoadException">Its value is missing or wrong.</exception>
    public bool TryTake(IReadOnlyList<string> args, ref int index)
    {
        string arg = args[index];
        if (!arg.StartsWith('-'))
        {
            _commands.Add(new CommandTemplate([.. args.Skip(index)]));
            index = args.Count;
            return true;
        }
        int equals = arg.StartsWith("--", StringComparison.Ordinal)
            ? arg.IndexOf('=', StringComparison.Ordinal) : -1;
        string name = equals < 0 ? arg : arg[..equals];
        if (equals < 0 && TakeFlag(name))
        {
            index++;
            return true;
        }
        string? value = equals >= 0 ? arg[(equals + 1)..] : args.ElementAtOrDefault(index + 1);
        if (!TakeValue(name, value)) return false;
        index += equals >= 0 ? 1 : 2;
        return true;
    }

    /// <summary>The options that were read.</summary>
    /// <exception cref="LoadException">They make no sense together.</exception>
    public LoadOptions ToOptions()
    {
        LoadOptions options = _options with { Commands = _commands.Count > 0 ? _commands : SetAndGet() };
        if (!_hasLimit) options = options with { Seconds = 10 };
        options.Check();
        options.Keys.Check();
        return options;
    }

    private bool TakeFlag(string name)
    {
        switch (name)
        {
            case "-3": Session(session => session with { IsResp3 = true }); break;
            case "-R" or "--random-data": _options = _options with { IsRandomData = true }; break;
            case "--randomize": _options = _options with { Seed = RandomSource.SystemSeed() }; break;
            case "--distinct-client-seed": _options = _options with { HasOneSeed = false }; break;
            case "--one-seed": _options = _options with { HasOneSeed = true }; break;
            case "--portable": _options = _options with { IsPortable = true }; break;
            case "--populate": IsPopulating = true; break;
            default: return false;
        }
        return true;
    }

    // A missing value is an error only of an option that is known.
    private bool TakeValue(string name, string? value)
    {
        Action<string>? take = ServerOption(name) ?? AmountOption(name) ?? KeyOption(name)
            ?? RequestOption(name);
        if (take is null) return false;
        if (value is null) throw new LoadException($"{name} needs a value");
        try
        {
            take(value);
        }
        catch (LoadException failure)
        {
            throw new LoadException($"{name}: {failure.Message}");
        }
        return true;
    }

    private Action<string>? ServerOption(string name) => name switch
    {
        "-h" or "--host" => value => Server(server => server with { Host = value }),
        "-p" or "--port" => value => Server(server => server with { Port = Int(value, 1, 65535) }),
        "-S" or "--unix-socket" => value => Server(server => server with { UnixSocket = value }),
        "-s" => value => Server(server => value.StartsWith('/') ? server with { UnixSocket = value }
            : server with { Host = value }),
        "-u" or "--uri" => TakeUri,
        "-a" or "--authenticate" => value => Session(session => Login(session, value)),
        "--user" => value => Session(session => session with { User = value }),
        "--select-db" or "--dbnum" => value => Session(session => session with
        {
            Database = Int(value, 0, int.MaxValue),
        }),
        "--protocol" => TakeProtocol,
        _ => null,
    };

    private Action<string>? AmountOption(string name) => name switch
    {
        "-t" or "--threads" => value => _options = _options with { ThreadCount = Int(value, 1, 1024) },
        "-c" or "--clients" => value => _options = _options with { ClientCount = Int(value, 1, 100_000) },
        "--pipeline" => value => _options = _options with { Depth = Int(value, 1, 1_000_000) },
        "-P" => value =>
        {
            if (value.Length > 0 && char.IsAsciiDigit(value[0]))
                _options = _options with { Depth = Int(value, 1, 1_000_000) };
            else TakeProtocol(value);
        },
        "-n" or "--requests" => TakeRequests,
        "--test-time" => value => Limit(options => options with { Seconds = Positive(value) }),
        "--rate" => value => _options = _options with { Rate = Positive(value) },
        "--rate-limiting" => value => _options = _options with { ClientRate = Positive(value) },
        "--seed" => value => _options = _options with { Seed = (ulong)Long(value) },
        "--load-cores" => value => _options = _options with { Cores = CoreList(value) },
        _ => null,
    };

    private Action<string>? KeyOption(string name) => name switch
    {
        "--key-prefix" => value => Keys(keys => keys with { Prefix = value }),
        "--key-minimum" => value => Keys(keys => keys with { Minimum = Long(value) }),
        "--key-maximum" => value => Keys(keys => keys with { Maximum = Long(value) }),
        "--key-width" => value => Keys(keys => keys with { Width = Int(value, 0, 19) }),
        "--key-median" => value => Keys(keys => keys with { Median = Positive(value) }),
        "--key-stddev" => value => Keys(keys => keys with { StandardDeviation = Positive(value) }),
        "--key-zipf-exp" => value => Keys(keys => keys with { ZipfExponent = Positive(value) }),
        "-r" => value => Keys(keys => keys with { Minimum = 0, Maximum = Long(value) - 1 }),
        _ => null,
    };

    private Action<string>? RequestOption(string name) => name switch
    {
        "-d" or "--data-size" => value => Data(DataSizes.Fixed(Int(value, 0, int.MaxValue))),
        "--data-size-range" => value =>
        {
            (int first, int last) = Pair(value, '-');
            Data(DataSizes.Range(first, last));
        },
        "--data-size-list" => value => Data(DataSizes.List([.. value.Split(',').Select(entry =>
        {
            (int size, int weight) = Pair(entry, ':');
            return (size, (long)weight);
        })])),
        "--ratio" => value => _ratio = Pair(value, ':'),
        "--key-pattern" => value => _pattern = value,
        "--command" => value => _commands.Add(CommandTemplate.Parse(value)),
        "--command-ratio" => value => LastCommand(command => command with
        {
            Weight = Int(value, 1, int.MaxValue),
        }),
        "--command-key-pattern" => value => LastCommand(command => command with { Pattern = Order(value) }),
        _ => null,
    };

    private void TakeUri(string value)
    {
        if (!Uri.TryCreate(value, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("redis" or "valkey"))
            throw new LoadException($"no address of the form redis://user:password@host:port/db: {value}");
        Server(server => server with { Host = uri.Host, Port = uri.Port > 0 ? uri.Port : 6379 });
        string database = uri.AbsolutePath.Trim('/');
        if (database.Length > 0)
            Session(session => session with { Database = Int(database, 0, int.MaxValue) });
        if (uri.UserInfo.Length == 0) return;
        string login = Uri.UnescapeDataString(uri.UserInfo);
        Session(session => Login(session, login.TrimStart(':')));
    }

    private void TakeProtocol(string value) => Session(session => session with
    {
        IsResp3 = value switch
        {
            "resp3" or "3" => true,
            "redis" or "resp2" or "2" => false,
            _ => throw new LoadException($"the protocols are resp2 and resp3, not {value}"),
        },
    });

    private void TakeRequests(string value) => Limit(options => value == "allkeys"
        ? options with { IsEachKeyOnce = true } : options with { RequestCount = Long(value) });

    private static SessionOptions Login(SessionOptions session, string value)
    {
        int colon = value.IndexOf(':', StringComparison.Ordinal);
        return colon < 0 ? session with { Password = value }
            : session with { User = value[..colon], Password = value[(colon + 1)..] };
    }

    private CommandTemplate[] SetAndGet()
    {
        (int sets, int gets) = _ratio;
        string[] patterns = _pattern.Split(':');
        if (patterns.Length != 2) throw new LoadException($"--key-pattern is like R:R, not {_pattern}");
        CommandTemplate set = CommandTemplate.Set(sets, Order(patterns[0]));
        CommandTemplate get = CommandTemplate.Get(gets, Order(patterns[1]));
        if (sets == 0 && gets == 0) throw new LoadException("--ratio is 0 for every command");
        return sets == 0 ? [get] : gets == 0 ? [set] : [set, get];
    }

    private static KeyPattern Order(string value) => value switch
    {
        "R" => KeyPattern.Random,
        "S" => KeyPattern.Sequential,
        "P" => KeyPattern.Parallel,
        "G" => KeyPattern.Gaussian,
        "Z" => KeyPattern.Zipfian,
        _ => throw new LoadException($"the patterns of keys are R, S, P, G and Z, not {value}"),
    };

    private void LastCommand(Func<CommandTemplate, CommandTemplate> change) => _commands[^1] =
        _commands.Count > 0 ? change(_commands[^1]) : throw new LoadException("stands behind a --command");

    private void Server(Func<ServerAddress, ServerAddress> change)
    {
        HasServer = true;
        _options = _options with { Server = change(_options.Server) };
    }

    private void Session(Func<SessionOptions, SessionOptions> change) =>
        _options = _options with { Session = change(_options.Session) };

    private void Keys(Func<KeySpace, KeySpace> change) =>
        _options = _options with { Keys = change(_options.Keys) };

    private void Data(DataSizes sizes) => _options = _options with { Data = sizes };

    private void Limit(Func<LoadOptions, LoadOptions> change)
    {
        if (!_hasLimit) _options = _options with { Seconds = null };
        _hasLimit = true;
        _options = change(_options);
    }

    private static (int, int) Pair(string value, char between)
    {
        string[] halves = value.Split(between);
        return halves.Length == 2 ? (Int(halves[0], 0, int.MaxValue), Int(halves[1], 0, int.MaxValue))
            : throw new LoadException($"two numbers with a {between} between them, not {value}");
    }

    /// <summary>Reads a list of cores, parted by commas.</summary>
    /// <exception cref="LoadException">It is none.</exception>
    public static int[] CoreList(string value) =>
        [.. value.Split(',').Select(core => Int(core, 0, 1023))];

    private static int Int(string value, int least, int most) => Long(value) is var number
        && number >= least && number <= most ? (int)number
        : throw new LoadException($"a number from {least} to {most}, not {value}");

    private static long Long(string value) =>
        long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number
            : throw new LoadException($"a whole number from 0 on, not {value}");

    private static double Positive(string value) =>
        double.TryParse(value, NumberStyles.Float, CultureInfo.InvariantCulture, out double number)
        && number > 0 && double.IsFinite(number) ? number
            : throw new LoadException($"a number above 0, not {value}");
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Cinnabar.Lab.Runner.Stations;

/// <summary>One entry of lab/stations.json; lab/README.md says what each member means.</summary>
internal sealed record StationEntry
{
    private const string PortMark = "{port}";

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>What it is, in a line.</summary>
    public string Description { get; init; } = "";

    /// <summary><c>redis-clone</c>, <c>fredis</c> or <c>all</c>.</summary>
    public string Line { get; init; } = "all";

    /// <summary>The language that it is written in.</summary>
    public string Language { get; init; } = "";

    /// <summary>Whether a garbage collector is at work.</summary>
    public bool Managed { get; init; }

    /// <summary>The project that builds it; null: it is installed.</summary>
    public string? Project { get; init; }

    /// <summary>The program and its arguments.</summary>
    public required IReadOnlyList<string> Command { get; init; }

    /// <summary>The arguments that make this variant of the program.</summary>
    public IReadOnlyList<string> Options { get; init; } = [];

    /// <summary>Environment variables, name to value.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } =
        new Dictionary<string, string>();

    /// <summary>The commands of the workloads that it knows; none listed: all.</summary>
    public IReadOnlyList<string> Commands { get; init; } = [];

    /// <summary>The port that it always has; null: it takes any, where its arguments say {port}.</summary>
    public int? Port { get; init; }

    /// <summary>The signal that makes it collect its garbage and print a line about it.</summary>
    public string? Collect { get; init; }

    /// <summary>The command that makes it give back memory that it holds in reserve.</summary>
    public IReadOnlyList<string> Purge { get; init; } = [];

    /// <summary>The field of INFO that counts garbage collections.</summary>
    public string? Collections { get; init; }

    /// <summary>What its author measured, for the page.</summary>
    public JsonElement? Published { get; init; }

    /// <summary>Reads the list.</summary>
    /// <exception cref="LabException">It is missing, or is no such list.</exception>
    public static IReadOnlyList<StationEntry> Read(string file)
    {
        try
        {
            using JsonDocument list = JsonDocument.Parse(File.ReadAllText(file));
            List<StationEntry> entries = list.RootElement.GetProperty("stations")
                .Deserialize<List<StationEntry>>(JsonSerializerOptions.Web) ?? [];
            string? twice = entries.GroupBy(entry => entry.Name)
                .FirstOrDefault(group => group.Count() > 1)?.Key;
            if (twice is not null) throw new LabException($"{file}: two stations {twice}");
            StationEntry? empty = entries.FirstOrDefault(entry => entry.Command.Count == 0);
            return empty is null ? entries : throw new LabException($"{file}: {empty.Name} has no command");
        }
        catch (Exception wrong) when (wrong is IOException or JsonException or KeyNotFoundException
            or InvalidOperationException)
        {
            throw new LabException($"{file}: {wrong.Message}");
        }
    }

    /// <summary>Whether it knows all of the commands.</summary>
    public bool Knows(params IEnumerable<string> commands) =>
        Commands.Count == 0 || commands.All(Commands.Contains);

    /// <summary>The words that start it on a port.</summary>
    public IEnumerable<string> Words(int port) => Command.Concat(Options).Select(word =>
        word.Replace(PortMark, port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal));
}

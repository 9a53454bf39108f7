using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Xunit;

namespace Cinnabar.Tests.Lab.Stations;

/// <summary>One entry of lab/stations.json, of what the tests need.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Project">What builds it.</param>
/// <param name="Command">Program and arguments, with its options, but for the port.</param>
/// <param name="Claims">What it says it can do beside the commands.</param>
public sealed record Station(
    string Name, string Project, IReadOnlyList<string> Command, IReadOnlyList<string> Claims)
{
    private const string List = "lab/stations.json";

    /// <summary>The repository's folder.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The stations that are built here; the other servers have tests of their own.</summary>
    public static IReadOnlyList<Station> All { get; } = Read();

    /// <summary>Their names, as a theory's rows.</summary>
    public static TheoryData<string> Rows => [.. All.Select(station => station.Name)];

    /// <summary>One name for each program.</summary>
    public static TheoryData<string> ProgramRows =>
        [.. All.DistinctBy(station => station.Project).Select(station => station.Name)];

    /// <summary>The station of a name.</summary>
    public static Station Of(string name) => All.First(station => station.Name == name);

    /// <summary>Starts it on a port of its choice.</summary>
    internal StationRun Start() => new(Command[0], Root, [.. Command.Skip(1)]);

    private static string FindRoot()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, List)))
            folder = Path.GetDirectoryName(folder);
        return folder ?? throw new FileNotFoundException(List);
    }

    private static List<Station> Read()
    {
        using JsonDocument list = JsonDocument.Parse(File.ReadAllText(Path.Combine(Root, List)));
        var stations = new List<Station>();
        foreach (JsonElement entry in list.RootElement.GetProperty("stations").EnumerateArray())
        {
            if (!entry.TryGetProperty("project", out JsonElement project)
                || !project.GetString()!.StartsWith("lab/", StringComparison.Ordinal)) continue;
            IEnumerable<string> command = [.. Texts(entry, "command"), .. Texts(entry, "options")];
            stations.Add(new Station(entry.GetProperty("name").GetString()!, project.GetString()!,
                [.. command.Select(argument => argument.Replace("{port}", "0", StringComparison.Ordinal))],
                [.. Texts(entry, "claims")]));
        }

        return stations;
    }

    private static IEnumerable<string> Texts(JsonElement entry, string name) =>
        entry.GetProperty(name).EnumerateArray().Select(text => text.GetString()!);
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>One entry of lab/findings.json: what an author found, or what this project set out to reach, as a
/// comparison of two stations.</summary>
internal sealed record Finding
{
    /// <summary>Value of <see cref="Over"/>: the best of all other stations at every point.</summary>
    public const string Best = "best";

    /// <summary>Its name.</summary>
    public required string Id { get; init; }

    /// <summary>What was found, in words.</summary>
    public required string Statement { get; init; }

    /// <summary>Whose it is: <c>redis-clone</c>, <c>fredis</c> or <c>cinnabar</c>.</summary>
    public required string Source { get; init; }

    /// <summary>The station of the ratio's numerator.</summary>
    public required string Station { get; init; }

    /// <summary>The station of the denominator, or <see cref="Best"/>.</summary>
    public required string Over { get; init; }

    /// <summary>Stations that are not among the others, because they are the same server.</summary>
    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>The workload that it is tried with.</summary>
    public required string Workload { get; init; }

    /// <summary>The command; empty: every one, or the whole run.</summary>
    public string Command { get; init; } = "";

    /// <summary>What is compared.</summary>
    public string Measure { get; init; } = "opsPerSecond";

    /// <summary><c>above</c>, <c>below</c> or <c>equal</c>: how the ratio should lie to the
    /// threshold.</summary>
    public string Expect { get; init; } = "above";

    /// <summary>What the ratio is compared with.</summary>
    public double Threshold { get; init; } = 1;

    /// <summary>The author's ratio; null where only the order is known.</summary>
    public double? Published { get; init; }

    /// <summary>On which machine that was.</summary>
    public string PublishedOn { get; init; } = "";

    /// <summary>Why ours differs, where it does.</summary>
    public string Reason { get; init; } = "";

    /// <summary>Reads the list.</summary>
    /// <exception cref="LabException">It is missing, or is no such list.</exception>
    public static IReadOnlyList<Finding> Read(string file)
    {
        try
        {
            using JsonDocument list = JsonDocument.Parse(File.ReadAllText(file));
            return list.RootElement.GetProperty("findings")
                .Deserialize<List<Finding>>(JsonSerializerOptions.Web) ?? [];
        }
        catch (Exception wrong) when (wrong is IOException or JsonException or KeyNotFoundException)
        {
            throw new LabException($"{file}: {wrong.Message}");
        }
    }
}

using System;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>What a managed station reports of its collector on request: all since its start, without the
/// requested collection.</summary>
internal sealed record GarbageFigures
{
    /// <summary>Collections of the youngest generation, which every collection is.</summary>
    public long Gen0 { get; init; }

    /// <summary>Collections of the next one.</summary>
    public long Gen1 { get; init; }

    /// <summary>Full collections.</summary>
    public long Gen2 { get; init; }

    /// <summary>How long its threads stood still for them, in milliseconds.</summary>
    public double PauseMs { get; init; }

    /// <summary>The managed heap before the forced collection, in bytes.</summary>
    public long HeapBytes { get; init; }

    /// <summary>The managed heap after it, in bytes.</summary>
    public long CollectedHeapBytes { get; init; }

    /// <summary>Reads a line like <c>gc gen0=41 gen1=7 … collectedHeapBytes=4711</c>.</summary>
    /// <exception cref="LabException">A figure is missing or is no number.</exception>
    public static GarbageFigures Parse(string line)
    {
        var values = line.Split(' ').Skip(1).Select(word => word.Split('='))
            .Where(pair => pair.Length == 2).ToDictionary(pair => pair[0], pair => pair[1]);
        return new GarbageFigures
        {
            Gen0 = (long)Number("gen0"),
            Gen1 = (long)Number("gen1"),
            Gen2 = (long)Number("gen2"),
            PauseMs = Number("pauseMs"),
            HeapBytes = (long)Number("heapBytes"),
            CollectedHeapBytes = (long)Number("collectedHeapBytes"),
        };

        double Number(string name) => values.TryGetValue(name, out string? text)
            && double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double number)
                ? number : throw new LabException($"no {name} in the station's line: {line}");
    }
}

using System.Collections.Generic;
using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The overhead of a key, for values of three sizes at several fillings, since a growing table has
/// good and bad moments: (resident − resident when empty − bytes of keys and values) ÷ keys.</summary>
internal sealed class MemorySuite : ISuite
{
    private const int KeySize = 16;

    private static readonly (int ValueSize, double[] Millions)[] s_fillings =
    [
        (64, [1, 1.5, 2, 3, 5, 8, 10]),
        (256, [1, 1.5, 2, 3]),
        (1000, [1, 1.5, 2]),
    ];

    private static readonly double[] s_quickMillions = [0.1, 0.15];

    public string Name => "memory";

    public string Title => "Memory a key beside key and value, 16-byte keys";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        foreach ((int valueSize, double[] millions) in s_fillings)
            Measure(spec, round, valueSize, round.IsQuick ? s_quickMillions : millions);
    }

    private static void Measure(ServerSpec spec, Round round, int valueSize, double[] millions)
    {
        using MeasuredServer server = round.Start(spec);
        long emptyBytes = Round.SettledBytes(server);
        long keyCountMax = round.KeyCount ?? long.MaxValue;
        var overheads = new List<double>();
        long done = 0;
        foreach (long count in millions.Select(number => (long)(number * 1e6)))
        {
            if (count > keyCountMax) break;
            LoadOptions load = round.Load(server, count, valueSize);
            load = load with { Keys = new KeySpace { Minimum = done, Maximum = count - 1 } };
            round.Fill(server, load, count);
            done = count;
            long bytes = Round.SettledBytes(server) - emptyBytes - count * (KeySize + valueSize);
            overheads.Add(bytes / (double)count);
            Add($"{count / 1e6:0.##}M keys", overheads[^1], isHeadline: false);
        }
        if (overheads.Count == 0) throw new LoadException("--keys is below the smallest filling");
        Add("mean", overheads.Average(), isHeadline: true);
        Add("worst", overheads.Max(), isHeadline: false);

        void Add(string name, double value, bool isHeadline) => round.Report.Add(
            $"{valueSize}-byte values, {name}", "bytes a key", spec.Name, value, isHeadline);
    }
}

using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>
/// A finding beside what is measured here.
///
/// Ratios are taken within a round, where both stations met the same machine; their median is the answer, and
/// an order is only called confirmed or refuted when every round says so. Over several points (the clients of
/// a sweep) a round's ratio is their geometric mean; against the best of all others each point is compared
/// with each other station, and the lowest median of them all is what is shown. (The best other figure of
/// each round would be that of the luckiest of several equal stations.) There it is refuted only if the
/// median is further below than the workload's noise: of hundreds of comparisons of equals in three rounds,
/// every eighth is below in each of them.
/// </summary>
internal sealed record FindingResult
{
    private const double EqualWithin = 0.05;

    /// <summary>What is compared.</summary>
    public required Finding Finding { get; init; }

    /// <summary>The ratio; null where a station has no figure.</summary>
    public Spread? Ratio { get; init; }

    /// <summary><c>confirmed</c>, <c>refuted</c>, <c>noise</c>: the rounds disagree; or
    /// <c>missing</c>.</summary>
    public required string Verdict { get; init; }

    /// <summary>Against the best of all others: the number of clients where the ratio is lowest.</summary>
    public int? At { get; init; }

    /// <summary>Against the best of all others: the station over which it is lowest.</summary>
    public string? Rival { get; init; }

    /// <summary>Against the best of all others: at how many of the points one of them is ahead in every
    /// round, and by more than the noise.</summary>
    public int? BehindCount { get; init; }

    /// <summary>Tries a finding on runs whose noise, at the middle point, is a part of the median.</summary>
    public static FindingResult Of(Finding finding, IReadOnlyList<Run> runs, double noise = 0)
    {
        List<Run> some = [.. runs.Where(run => run.Workload == finding.Workload)];
        return finding.Over == Finding.Best ? OverBest(finding, some, noise) : OverOne(finding, some);
    }

    private static FindingResult OverOne(Finding finding, List<Run> runs)
    {
        var ratios = new List<double>();
        foreach (IGrouping<int, Run> round in runs.GroupBy(run => run.Round))
        {
            var above = Values(finding, round, finding.Station);
            var below = Values(finding, round, finding.Over);
            List<double> points = [.. above.Keys.Intersect(below.Keys).Where(key => below[key] > 0)
                .Select(key => above[key] / below[key]).Where(ratio => ratio > 0)];
            if (points.Count > 0) ratios.Add(Spread.GeometricMean(points));
        }
        Spread? ratio = Spread.Of(ratios);
        return new FindingResult { Finding = finding, Ratio = ratio, Verdict = VerdictOf(finding, ratio) };
    }

    private static FindingResult OverBest(Finding finding, List<Run> runs, double noise)
    {
        var ratios = new Dictionary<(string Rival, string Command, int Clients), List<double>>();
        foreach (IGrouping<int, Run> round in runs.GroupBy(run => run.Round))
        {
            var ours = Values(finding, round, finding.Station);
            var rivals = round.Select(run => run.Station).Distinct()
                .Where(name => name != finding.Station && !finding.Except.Contains(name));
            foreach (string rival in rivals)
                foreach (((string Command, int Clients) key, double value) in Values(finding, round, rival))
                {
                    if (value <= 0 || !ours.TryGetValue(key, out double own)) continue;
                    var place = (rival, key.Command, key.Clients);
                    if (!ratios.TryGetValue(place, out List<double>? list)) ratios[place] = list = [];
                    list.Add(own / value);
                }
        }
        if (ratios.Count == 0) return new FindingResult { Finding = finding, Verdict = "missing" };
        var points = ratios.Select(pair => (Place: pair.Key, Ratio: Spread.Of(pair.Value)!)).ToList();
        var (at, lowest) = points.MinBy(point => point.Ratio.Median);
        double least = finding.Threshold * (1 - noise);
        int behind = points.Where(point => point.Ratio.High < finding.Threshold && point.Ratio.Median < least)
            .Select(point => (point.Place.Command, point.Place.Clients)).Distinct().Count();
        bool isAhead = points.All(point => point.Ratio.Median >= finding.Threshold);
        return new FindingResult
        {
            Finding = finding,
            Ratio = lowest,
            At = at.Clients,
            Rival = at.Rival,
            BehindCount = behind,
            Verdict = behind > 0 ? "refuted" : isAhead ? "confirmed" : "noise",
        };
    }

    private static Dictionary<(string Command, int Clients), double> Values(Finding finding,
        IEnumerable<Run> round, string station) => round.Where(run => run.Station == station)
        .SelectMany(Figure.Of)
        .Where(figure => figure.Measure == finding.Measure
            && (finding.Command.Length == 0 || figure.Command == finding.Command))
        .GroupBy(figure => (figure.Command, figure.Clients))
        .ToDictionary(group => group.Key, group => group.Last().Value);

    private static string VerdictOf(Finding finding, Spread? ratio)
    {
        if (ratio is null) return "missing";
        double low = ratio.Low - finding.Threshold;
        double high = ratio.High - finding.Threshold;
        return finding.Expect switch
        {
            "above" => low > 0 ? "confirmed" : high < 0 ? "refuted" : "noise",
            "below" => high < 0 ? "confirmed" : low > 0 ? "refuted" : "noise",
            _ => Math.Abs(ratio.Median - finding.Threshold) <= EqualWithin || (low <= 0 && high >= 0)
                ? "confirmed" : "refuted",
        };
    }
}

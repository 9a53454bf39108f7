// Which masters have the keys of a source: the server itself, or the masters of its cluster, by CLUSTER SLOTS
// or, where that is refused, CLUSTER NODES:
//
//   id host:port@busport[,hostname] flags master-id ping pong epoch link-state slot first-last [slot->-id] …

using System.Linq;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Finds the masters of a source.</summary>
internal static class SourceTopology
{
    private const int FlagsIndex = 2;
    private const int SlotsIndex = 8;

    /// <summary>Asks a source for its masters.</summary>
    /// <param name="source">The source.</param>
    /// <param name="task">Connects to it.</param>
    /// <exception cref="ImportException">It cannot be reached, or does not tell.</exception>
    public static IReadOnlyList<SourceNode> Find(ImportAddress source, IImportTask task)
    {
        using SourceLink link = task.ConnectSource(source);
        Reply info = link.Call("INFO", "cluster");
        Reply slots = link.Call("CLUSTER", "SLOTS");
        bool isCluster = !slots.IsError
            || info.Text.Contains("cluster_enabled:1", StringComparison.Ordinal);
        if (!isCluster)
            return [new SourceNode(source, null)];
        Reply nodes = slots.IsError ? link.Call("CLUSTER", "NODES") : slots;
        if (nodes.IsError)
            throw new ImportException($"{source} does not tell the masters of its cluster: {nodes.Text}");
        IReadOnlyList<SourceNode> found =
            slots.IsError ? OfNodes(source, nodes.Text) : OfSlots(source, slots);
        return found.Count > 0 ? found
            : throw new ImportException($"{source} knows of no master of its cluster that serves slots");
    }

    internal static IReadOnlyList<SourceNode> OfNodes(ImportAddress source, string text)
    {
        List<SourceNode> found = [];
        foreach (string line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] words = line.TrimEnd('\r').Split(' ');
            if (words.Length <= SlotsIndex || !words[FlagsIndex].Split(',').Contains("master"))
                continue;
            List<(int, int)> ranges = [];
            foreach (string word in words[SlotsIndex..])
            {
                string[] ends = word.Split('-');
                if (!word.StartsWith('[') && int.TryParse(ends[0], out int first)
                    && int.TryParse(ends[^1], out int last))
                    ranges.Add((first, last));
            }

            string place = words[1].Split('@', ',')[0];
            int colon = place.LastIndexOf(':');
            if (ranges.Count > 0 && int.TryParse(place.AsSpan(colon + 1), out int port))
                found.Add(new SourceNode(At(source, place[..colon], port), ranges));
        }

        return found;
    }

    // [[first, last, [host, port, id, …], replicas …], …]
    private static IReadOnlyList<SourceNode> OfSlots(ImportAddress source, Reply reply)
    {
        Dictionary<ImportAddress, List<(int, int)>> byPlace = [];
        foreach (Reply range in reply.Items)
        {
            Reply master = range.Items[2];
            string host = master.Items[0].IsNull ? "" : master.Items[0].Text;
            ImportAddress address = At(source, host == "?" ? "" : host, (int)master.Items[1].Integer);
            if (!byPlace.TryGetValue(address, out List<(int, int)>? ranges))
                byPlace.Add(address, ranges = []);
            ranges.Add(((int)range.Items[0].Integer, (int)range.Items[1].Integer));
        }

        return [.. byPlace.Select(static pair => new SourceNode(pair.Key, pair.Value))];
    }

    // A node without a name is where the source is.
    private static ImportAddress At(ImportAddress source, string host, int port) =>
        source with { Host = host.Length == 0 ? source.Host : host, Port = port };
}

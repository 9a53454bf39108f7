using System.Collections.Generic;
using System.Linq;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Tests.Property.Structures.Streams;

/// <summary>A naive group.</summary>
internal sealed class StreamModelGroup
{
    internal StreamId LastId { get; set; }

    internal SortedDictionary<string, long> SeenMs { get; } = new(System.StringComparer.Ordinal);

    internal SortedDictionary<StreamId, (string Consumer, long Ms, ulong Count)> Pending { get; } = [];

    internal List<StreamId> PendingWith(string consumer) =>
        [.. Pending.Where(pending => pending.Value.Consumer == consumer).Select(pending => pending.Key)];

    internal StreamModelGroup Copy()
    {
        var copy = new StreamModelGroup { LastId = LastId };
        foreach ((string name, long seenMs) in SeenMs) copy.SeenMs.Add(name, seenMs);
        foreach ((StreamId id, var pending) in Pending) copy.Pending.Add(id, pending);
        return copy;
    }
}

using System.Collections.Generic;
using System.Linq;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Tests.Property.Structures.Streams;

/// <summary>A naive stream.</summary>
internal sealed class StreamModel
{
    internal SortedDictionary<StreamId, string[]> Entries { get; } = [];

    internal SortedDictionary<string, StreamModelGroup> Groups { get; } =
        new(System.StringComparer.Ordinal);

    internal StreamId Last { get; set; }

    internal StreamId MaxDeleted { get; set; }

    internal long EntriesAdded { get; set; }

    internal StreamModel Copy()
    {
        var copy = new StreamModel { Last = Last, MaxDeleted = MaxDeleted, EntriesAdded = EntriesAdded };
        foreach ((StreamId id, string[] texts) in Entries) copy.Entries.Add(id, texts);
        foreach ((string name, StreamModelGroup group) in Groups) copy.Groups.Add(name, group.Copy());
        return copy;
    }

    internal StreamId First => Entries.Count == 0 ? StreamId.Zero : Entries.First().Key;
}

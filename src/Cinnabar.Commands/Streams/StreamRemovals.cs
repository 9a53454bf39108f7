using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Collects the entries that a command deletes with regard to consumer groups, to be recorded as
/// commands that every version knows.</summary>
internal sealed class StreamRemovals
{
    private readonly List<StreamId> _deleted = [];
    private readonly List<StreamId> _forgotten = [];

    /// <summary>Notes an entry that was deleted.</summary>
    internal void Delete(StreamId id) => _deleted.Add(id);

    /// <summary>Notes an entry that is pending with no group any more.</summary>
    internal void Forget(StreamId id) => _forgotten.Add(id);

    /// <summary>Notes the entries that a stream had before and has no more.</summary>
    /// <param name="before">The stream before.</param>
    /// <param name="after">The stream.</param>
    /// <param name="count">How many these are.</param>
    /// <param name="areForgotten">Whether they are no longer pending.</param>
    internal void Compare(StreamTree before, StreamTree after, long count, bool areForgotten)
    {
        StreamCursor cursor = before.Range(StreamId.Zero, StreamId.Max, isReverse: false);
        while (count > 0 && cursor.MoveNext())
        {
            if (after.Contains(cursor.Id)) continue;
            count--;
            Delete(cursor.Id);
            if (areForgotten) Forget(cursor.Id);
        }
        Debug.Assert(count == 0, "an entry that has gone was there before");
    }

    /// <summary>Records them, of the stream of argument 1.</summary>
    internal void Record(Execution execution, StreamTree stream)
    {
        if (_forgotten.Count > 0)
        {
            StreamGroupCursor groups = StreamGroups.All(stream);
            while (groups.MoveNext())
                Record(execution.Effects.Begin("XACK"u8).With(execution.Argument(1)).With(groups.Name),
                    _forgotten);
        }
        if (_deleted.Count > 0)
            Record(execution.Effects.Begin("XDEL"u8).With(execution.Argument(1)), _deleted);
    }

    private static void Record(Effects effects, List<StreamId> ids)
    {
        foreach (StreamId id in ids) effects.With(id);
        effects.End();
    }
}

// Trimming, with regard to what is pending with consumer groups.
//
// KEEPREF is the structure's own trimming: whole pages at once. DELREF does the same, and then looks at what
// went, in a snapshot from before, and forgets it everywhere. ACKED takes entry by entry from the beginning
// and lets stay what a group has not read or not acknowledged; where the trimming is approximate, it goes
// only through pages all of whose entries may go.
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Cuts entries off the beginning of streams.</summary>
internal static class StreamTrimmer
{
    private const double NsPerKept = 0.5;
    private const double NsPerLookedAt = 300;

    /// <summary>An estimate of the cost of an entry that goes.</summary>
    internal static double NsPerEntry(ReferencePolicy policy) =>
        policy == ReferencePolicy.Keep ? NsPerKept : NsPerLookedAt;

    /// <summary>Trims; answers how many entries went.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="editor">The stream.</param>
    /// <param name="options">What is to be cut off.</param>
    /// <param name="removals">What went, where the journal must have it; else null.</param>
    internal static long Trim(
        Execution execution, StreamEditor editor, in TrimOptions options, out StreamRemovals? removals)
    {
        removals = null;
        if (options.Policy == ReferencePolicy.Keep
            || execution.Effects is not { IsRecording: true, Level: < CommandLevel.Newest })
            return Trim(editor, in options.Trim, options.Policy);
        StreamTree before = editor.Stream.Retain();
        try
        {
            long count = Trim(editor, in options.Trim, options.Policy);
            removals = new StreamRemovals();
            removals.Compare(before, editor.Stream, count, options.Policy == ReferencePolicy.Delete);
            return count;
        }
        finally
        {
            before.Release(editor.Trees);
        }
    }

    private static long Trim(StreamEditor editor, in StreamTrim trim, ReferencePolicy policy)
    {
        if (policy == ReferencePolicy.Keep || editor.Stream.GroupCount == 0)
            return editor.Stream.Trim(editor.Trees, in trim);
        return policy == ReferencePolicy.Delete
            ? TrimAndForget(editor, in trim)
            : TrimAcknowledged(editor, in trim);
    }

    private static long TrimAndForget(StreamEditor editor, in StreamTrim trim)
    {
        StreamTree before = editor.Stream.Retain();
        try
        {
            long count = editor.Stream.Trim(editor.Trees, in trim);
            StreamCursor cursor = before.Range(StreamId.Zero, StreamId.Max, isReverse: false);
            for (long left = count; left > 0 && cursor.MoveNext(); left--)
                StreamPendings.RemoveEverywhere(ref editor.Stream, editor.Trees, cursor.Id);
            Debug.Assert(editor.Stream.Length == before.Length - count, "what was cut off is counted");
            return count;
        }
        finally
        {
            before.Release(editor.Trees);
        }
    }

    private static long TrimAcknowledged(StreamEditor editor, in StreamTrim trim)
    {
        StreamTree before = editor.Stream.Retain();
        try
        {
            if (trim.IsApproximate) return TrimAcknowledgedPages(editor, before, in trim);
            long count = 0;
            StreamCursor cursor = before.Range(StreamId.Zero, StreamId.Max, isReverse: false);
            while (cursor.MoveNext())
            {
                bool isDone = trim.IsById
                    ? cursor.Id >= trim.IdMin
                    : editor.Stream.Length <= trim.LengthMax;
                if (isDone) break;
                if (StreamPendings.IsWanted(before, cursor.Id)) continue;
                editor.Stream.Cut(editor.Trees, cursor.Id);
                count++;
            }
            Debug.Assert(editor.Stream.Length == before.Length - count, "what was cut off is counted");
            return count;
        }
        finally
        {
            before.Release(editor.Trees);
        }
    }

    // What stays of a page does not keep the next one from being looked at.
    private static long TrimAcknowledgedPages(StreamEditor editor, StreamTree before, in StreamTrim trim)
    {
        long count = 0;
        StreamCursor cursor = before.Range(StreamId.Zero, StreamId.Max, isReverse: false);
        int pageCount;
        for (long rank = 0; rank < before.Length; rank += pageCount)
        {
            StreamId last = before.LastIdOfPage(rank, out pageCount);
            if (trim.CountMax != 0 && count + pageCount > trim.CountMax) break;
            bool isWhole = trim.IsById
                ? last < trim.IdMin
                : editor.Stream.Length - pageCount >= trim.LengthMax;
            if (!isWhole) break;
            for (int left = pageCount; left > 0 && cursor.MoveNext(); left--)
            {
                if (StreamPendings.IsWanted(before, cursor.Id)) continue;
                editor.Stream.Cut(editor.Trees, cursor.Id);
                count++;
            }
        }
        Debug.Assert(editor.Stream.Length == before.Length - count, "what was cut off is counted");
        return count;
    }
}

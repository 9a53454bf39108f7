using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Engine.Debugging;

/// <summary>The parts of a value of any type.</summary>
internal static class ValueParts
{
    /// <summary>Bytes of a string, items of a collection.</summary>
    public static long LengthOf(EntryView entry) =>
        entry.Type == KeyType.Stream ? StreamStore.Of(entry).Length : ValueSize.Of(entry);

    /// <summary>
    /// Visits the items of a collection, in its order if it has one: an element or member; a member and its
    /// score (17 digits); a field and its value; an ID ("1.0") and the entry's fields and values.
    /// </summary>
    public static void Visit<TVisitor>(Execution execution, EntryView entry, ref TVisitor visitor)
        where TVisitor : struct, IValueVisitor
    {
        switch (entry.Type)
        {
            case KeyType.List:
                VisitList(entry, ref visitor);
                break;
            case KeyType.Set:
                Span<byte> scratch = stackalloc byte[SetMember.ScratchSize];
                foreach (SetMember member in execution.Sets.View(entry))
                {
                    visitor.VisitPart(member.AsText(scratch));
                    visitor.EndItem();
                }

                break;
            case KeyType.SortedSet:
                VisitSortedSet(execution, entry, ref visitor);
                break;
            case KeyType.Hash:
                VisitHash(execution, entry, ref visitor);
                break;
            case KeyType.Stream:
                VisitStream(entry, ref visitor);
                break;
            default:
                throw new InvalidOperationException($"The type {entry.Type} has no items.");
        }
    }

    private static void VisitList<TVisitor>(EntryView entry, ref TVisitor visitor)
        where TVisitor : struct, IValueVisitor
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        ListCursor cursor = entry.List.CursorAt(0);
        do
        {
            visitor.VisitPart(cursor.Current.AsText(scratch));
            visitor.EndItem();
        }
        while (cursor.MoveNext());
    }

    private static void VisitSortedSet<TVisitor>(Execution execution, EntryView entry, ref TVisitor visitor)
        where TVisitor : struct, IValueVisitor
    {
        Span<byte> scratch = stackalloc byte[RedisNumber.DoubleBytesMax];
        SortedSetWalk walk = execution.SortedSets.View(entry).Walk();
        while (walk.MoveNext())
        {
            visitor.VisitPart(walk.Member);
            visitor.VisitPart(scratch[..RedisNumber.FormatDoubleSeventeen(walk.Score, scratch)]);
            visitor.EndItem();
        }
    }

    private static void VisitHash<TVisitor>(Execution execution, EntryView entry, ref TVisitor visitor)
        where TVisitor : struct, IValueVisitor
    {
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        foreach (FieldView field in HashStore.View(execution.Keys, entry))
        {
            visitor.VisitPart(field.Name.AsText(scratch));
            visitor.VisitPart(field.Value.AsText(scratch));
            visitor.EndItem();
        }
    }

    private static void VisitStream<TVisitor>(EntryView entry, ref TVisitor visitor)
        where TVisitor : struct, IValueVisitor
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        StreamCursor cursor = StreamStore.Of(entry).Range(StreamId.Zero, StreamId.Max, isReverse: false);
        while (cursor.MoveNext())
        {
            visitor.VisitPart(Encoding.ASCII.GetBytes(string.Create(
                CultureInfo.InvariantCulture, $"{cursor.Id.Ms}.{cursor.Id.Sequence}")));
            for (int left = 2 * cursor.FieldCount; left > 0; left--)
                visitor.VisitPart(cursor.NextText().AsText(scratch));
            visitor.EndItem();
        }
    }
}

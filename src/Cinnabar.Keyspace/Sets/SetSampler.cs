// Random members. Small sets are sampled in one pass (D. Knuth, The Art of Computer Programming, 3.4.2,
// algorithm S); of a tree, members of random ranks are taken, or, where nearly all are wanted, one pass.
using System.Buffers;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Picks and takes random members of a set.</summary>
// SAFETY: as of the views and editors that are given.
public static unsafe class SetSampler
{
    // Finding one member by rank costs about as much as this many members in a pass.
    private const int PassFactor = 3;

    // When all but a few are popped, these few become a new set: from this ratio on.
    private const int RebuildFactor = 5;

    private const int PickBatchSize = 128;

    /// <summary>Shows a number of random members, the same one perhaps more than once.</summary>
    public static void PickMany<TVisitor>(
        SetView set, long count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        if (set.Encoding != KeyEncoding.Listpack)
        {
            for (; count > 0; count--)
                visitor.Visit(set.Pick(ref random));
            return;
        }

        Span<int> positions = stackalloc int[PickBatchSize];
        var reader = new ListpackReader(set.Payload);
        while (count > 0)
        {
            Span<int> batch = positions[..(int)Math.Min(count, PickBatchSize)];
            ListpackPicks.Fill(reader, 1, batch, ref random);
            foreach (int position in batch)
                visitor.Visit(SetView.MemberOf(reader[position]));
            count -= batch.Length;
        }
    }

    /// <summary>Shows a number of different members, all choices equally likely; fewer than there
    /// are.</summary>
    public static void Sample<TVisitor>(
        SetView set, long count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        if (set.IsTree && count <= set.Count / PassFactor)
        {
            SampleByRank(set.Pages, (int)count, ref random, ref visitor);
            return;
        }

        long left = set.Count;
        foreach (SetMember member in set)
        {
            if (count == 0)
                break;
            if (random.NextBelow((ulong)left--) >= (ulong)count)
                continue;
            count--;
            visitor.Visit(in member);
        }
    }

    /// <summary>Shows a number of different members, all choices equally likely, and removes them; fewer than
    /// there are.</summary>
    public static void Pop<TVisitor>(
        SetEditor set, long count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        switch (set.Memory.Encoding)
        {
            case KeyEncoding.Intset:
                PopFromIntset(set.Memory, (int)count, ref random, ref visitor);
                break;
            case KeyEncoding.Listpack:
                PopFromListpack(set.Memory, (int)count, ref random, ref visitor);
                break;
            default:
                if ((set.View.Count - count) * RebuildFactor <= count)
                    PopMost(set, count, ref random, ref visitor);
                else
                    PopFromTree(set.Memory, count, ref random, ref visitor);
                break;
        }
    }

    // Draws until there are enough different ranks: each choice of ranks is as likely as any other.
    private static void SampleByRank<TVisitor>(
        HashPages pages, int count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        long[] rented = ArrayPool<long>.Shared.Rent(count);
        Span<long> ranks = rented.AsSpan(0, count);
        for (int known = 0; known < count;)
        {
            for (int index = known; index < count; index++)
                ranks[index] = (long)random.NextBelow((ulong)pages.Count);
            ranks.Sort();
            known = 1;
            for (int index = 1; index < count; index++)
            {
                if (ranks[index] != ranks[known - 1])
                    ranks[known++] = ranks[index];
            }
        }

        foreach (long rank in ranks)
            visitor.Visit(new SetMember(pages.At(rank).Member));
        ArrayPool<long>.Shared.Return(rented);
    }

    private static void PopFromIntset<TVisitor>(
        SetMemory memory, int count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        var reader = new IntsetReader(memory.Payload);
        var editor = new IntsetEditor(memory.Payload, reader.Size);
        if (count == 1)
        {
            int index = (int)random.NextBelow((ulong)reader.Count);
            visitor.Visit(new SetMember(reader[index]));
            editor.RemoveAt(index);
        }
        else
        {
            // From the end, so that what is removed does not move what is still to be seen.
            for (int left = reader.Count; count > 0; left--)
            {
                if (random.NextBelow((ulong)left) >= (ulong)count)
                    continue;
                count--;
                visitor.Visit(new SetMember(reader[left - 1]));
                editor.RemoveAt(left - 1);
            }
        }

        memory.Resize(reader.Size, KeyEncoding.Intset);
    }

    private static void PopFromListpack<TVisitor>(
        SetMemory memory, int count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        var reader = new ListpackReader(memory.Payload);
        if (count == 1)
        {
            int position = ListpackPicks.Pick(reader, 1, ref random);
            visitor.Visit(SetView.MemberOf(reader[position]));
            new ListpackEditor(memory.Payload, reader.Size).Delete(position);
        }
        else
        {
            int left = reader.Count;
            var sieve = new ListpackSieve(memory.Payload);
            while (count > 0 && sieve.MoveNext())
            {
                if (random.NextBelow((ulong)left--) >= (ulong)count)
                    continue;
                count--;
                visitor.Visit(SetView.MemberOf(sieve.Current));
                sieve.Drop();
            }

            sieve.Complete();
        }

        memory.Resize(reader.Size, KeyEncoding.Listpack);
    }

    private static void PopFromTree<TVisitor>(
        SetMemory memory, long count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        HashPages pages = memory.Pages;
        var fields = new SetView.FieldVisitor<TVisitor>(ref visitor);
        for (; count > 0; count--)
        {
            pages.TakeAt(memory.Trees, (long)random.NextBelow((ulong)pages.Count), ref fields);
            memory.Pages = pages;
        }
    }

    // Those that stay become a set from the beginning, a small one where they can.
    private static void PopMost<TVisitor>(
        SetEditor set, long count, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        SetMemory memory = set.Memory;
        HashPages pages = memory.Pages;
        long left = pages.Count;
        memory.Resize(SetEditor.EmptySize(KeyEncoding.Intset), KeyEncoding.Intset);
        set.Initialize();
        foreach (HashField field in pages)
        {
            if (random.NextBelow((ulong)left--) < (ulong)count)
            {
                count--;
                visitor.Visit(new SetMember(field.Member));
            }
            else
            {
                set.Add(field.Member);
            }
        }

        pages.Release(memory.Trees);
    }
}

// The shortest ways to change a big collection by one element: what a pipeline of pushes, pops and additions
// does all the time. They find the entry once and go straight to its tree; whatever is not as it mostly is (a
// missing key, another type, a small collection, a page that is full or shared) they leave as it was, and the
// commands take the way that knows all cases.
using System;
using System.Runtime.CompilerServices;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace;

// SAFETY: the execution holds the stripe's lock; no entry moves.
/// <summary>Changes of big collections by one element. They declare nothing.</summary>
public static unsafe class ShortPaths
{
    /// <summary>Adds an element at an end of a list.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The list's key.</param>
    /// <param name="end">Where.</param>
    /// <param name="text">The element.</param>
    /// <param name="count">How many elements there are then.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TryPush(
        KeyspaceAccess keys, in Key key, ListEnd end, ReadOnlySpan<byte> text, out long count)
    {
        count = 0;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.Quicklist)
            return false;
        BeforeChange(keys, in key, entry);
        ListPages pages = ListPages.FromAddress(EntryValue.Word(KeyEntry.Value(entry), 0));
        var element = new ListpackElement(text);
        ListPageLimits limits = keys.Keyspace.Limits.ListPages;
        if (!pages.TryPushInPlace(in limits, end, in element))
            return false;
        count = pages.Count;
        return true;
    }

    /// <summary>Replies the element at an end of a list and removes it; others are left, many of
    /// them.</summary>
    /// <returns>False: nothing was done.</returns>
    public static bool TryPop(KeyspaceAccess keys, in Key key, ListEnd end, ref ReplyWriter reply)
    {
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.Quicklist)
            return false;
        BeforeChange(keys, in key, entry);
        ListPages pages = ListPages.FromAddress(EntryValue.Word(KeyEntry.Value(entry), 0));
        if (!pages.TryTakeEnd(end, out ListEndElement element))
            return false;
        bool isInteger = element.IsInteger;
        ReadOnlySpan<byte> text = isInteger ? default : element.Text;
        // It is counted as gone already: nothing may fail in between.
        if (!reply.HasRoomFor(text.Length))
        {
            element.Keep();
            return false;
        }

        if (isInteger)
            reply.BulkInteger(element.Integer);
        else
            reply.Bulk(text);
        element.Remove();
        return true;
    }

    /// <summary>Adds a member to a set.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The set's key.</param>
    /// <param name="member">The member.</param>
    /// <param name="hint">What is known of it.</param>
    /// <param name="isNew">Whether it was not there.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TryAddMember(
        KeyspaceAccess keys, in Key key, ReadOnlySpan<byte> member, MemberHint hint, out bool isNew)
    {
        isNew = false;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Set
            || KeyEntry.Encoding(entry) != KeyEncoding.HashTable)
            return false;
        BeforeChange(keys, in key, entry);
        byte* payload = KeyEntry.Value(entry);
        HashPages pages = HashPages.FromAddress(EntryValue.Word(payload, 0));
        try
        {
            isNew = pages.TryAdd(keys.Keyspace.Trees, new HashField(member), out _, hint);
        }
        finally
        {
            EntryValue.SetWord(payload, 0, pages.Address);
        }

        return true;
    }

    /// <summary>Gives a field of a hash a value; none of its fields ever had a deadline.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The hash's key.</param>
    /// <param name="field">The field with its value.</param>
    /// <param name="hint">What is known of its name.</param>
    /// <param name="isNew">Whether it was not there.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TrySetField(
        KeyspaceAccess keys, in Key key, in HashField field, MemberHint hint, out bool isNew)
    {
        isNew = false;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Hash
            || KeyEntry.Encoding(entry) != KeyEncoding.HashTable || HashTree.HasDeadlines(entry))
            return false;
        BeforeChange(keys, in key, entry);
        HashPages pages = HashTree.Pages(entry);
        try
        {
            isNew = pages.Set(keys.Keyspace.Trees, in field, hint);
        }
        finally
        {
            HashTree.SetPages(entry, pages);
        }

        return true;
    }

    /// <summary>Replies a random member of a set and removes it; others are left.</summary>
    /// <returns>False: nothing was done.</returns>
    public static bool TryTakeRandom(
        KeyspaceAccess keys, in Key key, ref RandomSource random, ref ReplyWriter reply)
    {
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Set
            || KeyEntry.Encoding(entry) != KeyEncoding.HashTable)
            return false;
        byte* payload = KeyEntry.Value(entry);
        HashPages pages = HashPages.FromAddress(EntryValue.Word(payload, 0));
        if (pages.Count == 1)
            return false;
        BeforeChange(keys, in key, entry);
        var visitor = new ReplyingVisitor(ref reply);
        try
        {
            pages.TakeAt(keys.Keyspace.Trees, (long)random.NextBelow((ulong)pages.Count), ref visitor);
        }
        finally
        {
            EntryValue.SetWord(payload, 0, pages.Address);
        }

        return true;
    }

    /// <summary>Gives a member of a sorted set a score.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The sorted set's key.</param>
    /// <param name="member">The member.</param>
    /// <param name="score">Any number but NaN.</param>
    /// <param name="change">What came of it.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TrySetScore(
        KeyspaceAccess keys, in Key key, in Argument member, double score, out SortedSetChange change)
    {
        change = SortedSetChange.None;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.SkipList)
            return false;
        BeforeChange(keys, in key, entry);
        byte* payload = KeyEntry.Value(entry);
        SortedSetTree tree = EntryValue.SortedSet(payload);
        try
        {
            ScoreHint hint = keys.Foresight.ScoreHintOf(in member);
            if (tree.Set(keys.Keyspace.Trees, member.Span, score, out double oldScore, hint))
                change = SortedSetChange.Added;
            else if (oldScore != score)
                change = SortedSetChange.Updated;
        }
        finally
        {
            SortedSetEditor.Write(payload, in tree);
        }

        return true;
    }

    /// <summary>Replies the lowest or highest member of a sorted set, as a pair with its score, and removes
    /// it; others are left.</summary>
    /// <returns>False: nothing was done.</returns>
    public static bool TryTakeEdge(
        KeyspaceAccess keys, in Argument name, bool isHighest, ref ReplyWriter reply)
    {
        var key = new Key(in name);
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.SkipList)
            return false;
        byte* payload = KeyEntry.Value(entry);
        SortedSetTree tree = EntryValue.SortedSet(payload);
        if (tree.Count == 1)
            return false;
        BeforeChange(keys, in key, entry);
        tree.SeekEdge(isHighest, out SortedSetCursor edge);
        reply.ArrayHeader(2);
        reply.Bulk(edge.Member);
        reply.Double(edge.Score);
        try
        {
            tree.RemoveEdge(keys.Keyspace.Trees, ref edge, keys.Foresight.HintOfTaken(in name));
        }
        finally
        {
            SortedSetEditor.Write(payload, in tree);
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Find(KeyspaceAccess keys, in Key key)
    {
        byte* entry = keys.Locate(in key);
        if (entry != null)
            keys.Touch(entry);
        return entry;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void BeforeChange(KeyspaceAccess keys, in Key key, byte* entry) =>
        keys.Keyspace.StripeOf(key.Hash).BeforeChange(entry);

    private readonly ref struct ReplyingVisitor(ref ReplyWriter reply) : IFieldVisitor
    {
        private readonly ref ReplyWriter _reply = ref reply;

        public void Visit(in HashField field) => _reply.Bulk(field.Member);
    }
}

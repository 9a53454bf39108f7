// The shortest ways to change a big collection by one element: what a pipeline of pushes, pops and additions
// does all the time. They find the entry once and go straight to its tree; whatever is not as it mostly is (a
// missing key, another type, a small collection, a page that is full or shared) they leave as it was, and the
// commands take the way that knows all cases.
using System;
using System.Runtime.CompilerServices;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

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
        if (!pages.TrySeekEnd(end, out ListEndElement element))
            return false;
        if (element.IsInteger)
            reply.BulkInteger(element.Integer);
        else
            reply.Bulk(element.Text);
        element.Remove();
        return true;
    }

    /// <summary>Adds a member to a set.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The set's key.</param>
    /// <param name="member">The member.</param>
    /// <param name="hash">Its hash, as a key's; 0: not known.</param>
    /// <param name="isNew">Whether it was not there.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TryAddMember(
        KeyspaceAccess keys, in Key key, ReadOnlySpan<byte> member, ulong hash, out bool isNew)
    {
        isNew = false;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Set
            || KeyEntry.Encoding(entry) != KeyEncoding.HashTable)
            return false;
        BeforeChange(keys, in key, entry);
        byte* payload = KeyEntry.Value(entry);
        HashPages pages = HashPages.FromAddress(EntryValue.Word(payload, 0));
        isNew = pages.TryAdd(keys.Keyspace.Trees, new HashField(member), out _, hash);
        EntryValue.SetWord(payload, 0, pages.Address);
        return true;
    }

    /// <summary>Gives a field of a hash a value; none of its fields ever had a deadline.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The hash's key.</param>
    /// <param name="field">The field with its value.</param>
    /// <param name="hash">The hash of its name, as a key's; 0: not known.</param>
    /// <param name="isNew">Whether it was not there.</param>
    /// <returns>False: nothing was done.</returns>
    public static bool TrySetField(
        KeyspaceAccess keys, in Key key, in HashField field, ulong hash, out bool isNew)
    {
        isNew = false;
        byte* entry = Find(keys, in key);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Hash
            || KeyEntry.Encoding(entry) != KeyEncoding.HashTable || HashTree.HasDeadlines(entry))
            return false;
        BeforeChange(keys, in key, entry);
        HashPages pages = HashTree.Pages(entry);
        isNew = pages.Set(keys.Keyspace.Trees, in field, hash);
        HashTree.SetPages(entry, pages);
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
}

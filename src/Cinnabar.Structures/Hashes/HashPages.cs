// A big set or hash, or the index of a sorted set's members: pages of records (RecordPage, HashRecord) in a
// PageTree, ordered by the keyed 64-bit hash of the member.
//
//   separators:        |  h1  |  h2  |  h3  | ...            members with h1 <= hash < h2 lie in one page
//   page:  | tag tag tag ... | offsets | free | member, value | member, value | ... |
//
// A lookup compares a few hashes in nodes that stay in the cache, then all tags of one page at once, then, in
// 255 of 256 cases, the one member that it looks for: about one page's miss. In a page members have no order.
// They are sorted by hash only where that is needed, which is where a page is split and in a scan: the hash
// is computed again, 7 ns a member, instead of stored at 8 bytes a member.
//
// Scan cursors are hashes: stateless, whatever happens in between; a member that is there from the first call
// to the last is seen. Members of the same hash are never parted by a split. A cursor is the upper 53 bits of
// a hash, and members that share these are not parted by it: some clients keep cursors in floating-point
// numbers.
//
// Why ordered by hash and not a table of buckets: PageTree's essay. Why not by the member's bytes: clients
// choose those, common beginnings make comparisons expensive, and scans would show an order.
//
// All sets of a server have the same order, so a walk of one set that looks its members up in another finds
// each in the page of the one before (HashMerge).
//
// A caller that knows more of a member than its name passes it on (MemberHint): its hash, or where it was
// when it was loaded ahead. A hash of 0 stands for none (a member whose hash it is is hashed again).
//
// What commands call is compiled by itself: they are many, and a command that has all of this within it is
// slower by the locals that it clears.
//
// Uniformly random members are those of a random rank. Limits: members and values of 512 MiB.
using System.Runtime.Intrinsics;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: pages are reached through a tree that the caller's lock or reference keeps alive, and are edited
// only when owned.
/// <summary>Members, with or without values, found by hash. A handle as large as a pointer.</summary>
public unsafe struct HashPages
{
    private const int StackCountMax = 512;
    private const int CursorShift = 11;

    private PageTree _tree;

    private HashPages(PageTree tree) => _tree = tree;

    /// <summary>An empty collection.</summary>
    public static HashPages Create(TreeSource source) => new(PageTree.Create(source, sizeof(ulong)));

    /// <summary>The collection with this <see cref="Address"/>.</summary>
    public static HashPages FromAddress(nint address) => new(PageTree.FromAddress(address));

    /// <summary>The handle as a word, to be stored. Changes with every modification.</summary>
    public readonly nint Address => _tree.Address;

    /// <summary>Whether this is no collection at all.</summary>
    public readonly bool IsNull => _tree.Root == null;

    /// <summary>Members.</summary>
    public readonly long Count => _tree.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    public readonly long MemoryBytes => _tree.MemoryBytes;

    /// <summary>How the members lie in pages.</summary>
    public readonly TreeShape Shape() => TreeShape.Of(in _tree);

    /// <summary>The tree below, for tests.</summary>
    internal readonly PageTree Tree => _tree;

    /// <summary>A snapshot: another reference to the collection as it is now. Constant time.</summary>
    public readonly HashPages Retain() => new(_tree.Retain());

    /// <summary>Gives this reference up; a big collection is then freed in slices.</summary>
    public void Release(TreeSource source) => _tree.Release(source);

    /// <summary>Moves some of it out of memory that is to be emptied.</summary>
    /// <returns>Whether all of it was looked at.</returns>
    public bool Move(TreeSource source, int part, ref TreeMoves moves) => moves.Run(source, part, ref _tree);

    /// <summary>Begins to load what finding or adding members with these hashes will read, up to 32 of
    /// them; notes where that is.</summary>
    public readonly void LoadAhead(ReadOnlySpan<ulong> hashes, Span<MemberNote> notes) =>
        HashAhead.Load(in _tree, hashes, notes, isChange: false);

    /// <summary>Begins to load the members of these ranks, 0 to Count - 1, to be removed; up to
    /// 32.</summary>
    public readonly void LoadAheadAt(ReadOnlySpan<long> ranks) => HashAhead.LoadAt(in _tree, ranks);

    /// <summary>Whether a member is there.</summary>
    public readonly bool Contains(
        TreeSource source, ReadOnlySpan<byte> member, MemberHint hint = default) =>
        Find(source, member, hint) != null;

    /// <summary>Finds a member; the spans are valid until the collection changes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public readonly bool TryGet(
        TreeSource source, ReadOnlySpan<byte> member, out HashField field, MemberHint hint = default)
    {
        byte* record = Find(source, member, hint);
        field = record == null ? default : HashRecord.Read(record);
        return record != null;
    }

    /// <summary>
    /// Adds a member, or gives it another value and deadline. The spans must not lie in this collection.
    /// </summary>
    /// <returns>Whether the member is new.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool Set(TreeSource source, in HashField field, MemberHint hint = default)
    {
        int index = AddOrFind(source, in field, hint, out TreePath path);
        if (index < 0) return true;
        if (field.HasValue) Overwrite(source, ref path, index, in field, HashRecord.SizeFor(in field));
        return false;
    }

    /// <summary>Adds a member that is not there yet; else shows what is there, and changes nothing.</summary>
    /// <returns>Whether the member is new.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryAdd(
        TreeSource source, in HashField field, out HashField existing, MemberHint hint = default)
    {
        int index = AddOrFind(source, in field, hint, out TreePath path);
        existing = index < 0 ? default : HashRecord.Read(RecordPage<HashRecord>.Record(path.Page, index));
        return index < 0;
    }

    /// <summary>
    /// As <see cref="TryAdd"/>; the value of a member that is there already is prepared to be overwritten by
    /// one of the same length, which needs no memory.
    /// </summary>
    /// <returns>The place of the value; null: the member is new.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal byte* TryAddOrOwn(TreeSource source, in HashField field, MemberHint hint)
    {
        int index = AddOrFind(source, in field, hint, out TreePath path);
        if (index < 0) return null;
        TreePage* page = _tree.Own(source, ref path);
        HashField existing = HashRecord.Read(RecordPage<HashRecord>.Record(page, index));
        return (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(existing.Value));
    }

    /// <summary>Puts fields, all different, into an empty collection.</summary>
    internal void Fill<TFields>(TreeSource source, scoped TFields fields)
        where TFields : struct, IFieldList, allows ref struct => HashFill.Fill(source, ref _tree, fields);

    /// <summary>Removes a member.</summary>
    /// <returns>Whether it was there.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool Remove(TreeSource source, ReadOnlySpan<byte> member, MemberHint hint = default)
    {
        if (_tree.Count == 0) return false;
        if (!hint.TryGuessIn(in _tree, member, out TreePath path, out int index))
        {
            index = Seek(member, hint.WithHash(source, member), out path);
            if (index < 0) return false;
        }
        PageShrink<HashRecord>.Remove(source, ref _tree, ref path, index);
        return true;
    }

    /// <summary>The member of a rank, 0 to Count - 1. Ranks say nothing but are all different.</summary>
    public readonly HashField At(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(rank, Count);
        int index = _tree.SeekRank(rank, out TreePath path);
        return HashRecord.Read(RecordPage<HashRecord>.Record(path.Page, index));
    }

    /// <summary>Shows the member of a rank, 0 to Count - 1, and removes it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void TakeAt<TVisitor>(TreeSource source, long rank, ref TVisitor visitor)
        where TVisitor : struct, IFieldVisitor, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(rank, Count);
        int index = _tree.SeekRank(rank, out TreePath path);
        visitor.Visit(HashRecord.Read(RecordPage<HashRecord>.Record(path.Page, index)));
        PageShrink<HashRecord>.Remove(source, ref _tree, ref path, index);
    }

    /// <summary>
    /// Shows the members from a cursor on: at least <paramref name="countMin"/> if there are as many.
    /// </summary>
    /// <returns>The cursor to go on with, or 0 at the end.</returns>
    [SkipLocalsInit]
    public readonly ulong Scan<TVisitor>(
        TreeSource source, ulong cursor, long countMin, ref TVisitor visitor)
        where TVisitor : struct, IFieldVisitor, allows ref struct
    {
        if (_tree.Count == 0) return 0;
        ulong firstHash = cursor << CursorShift;
        _tree.Seek(new HashSeeker(firstHash), out TreePath path);
        Span<ulong> hashes = stackalloc ulong[StackCountMax];
        Span<int> indexes = stackalloc int[StackCountMax];
        ulong last = 0;
        long shown = 0;
        do
        {
            TreePage* page = path.Page;
            int count = page->Count;
            if (count > hashes.Length)
            {
                hashes = new ulong[count];
                indexes = new int[count];
            }
            count = PageHashes.From(source, page, firstHash, hashes, indexes);
            // One more than will be shown says where to go on.
            int sorted = (int)Math.Clamp(countMin - shown + 1, 0, count);
            HashSort.SortLeast(hashes[..count], indexes[..count], sorted);
            for (int at = 0; at < count; at++)
            {
                if (at == sorted)
                    HashSort.Sort(hashes[at..count], indexes[at..count]);
                ulong place = hashes[at] >> CursorShift;
                if (shown >= countMin && place != last) return place;
                visitor.Visit(HashRecord.Read(RecordPage<HashRecord>.Record(page, indexes[at])));
                last = place;
                shown++;
            }
        }
        while (path.MoveNext());
        return 0;
    }

    /// <summary>The members that another collection, of the same source, has, too.</summary>
    public readonly HashMerge Common(TreeSource source, HashPages other) => new(source, this, other);

    /// <summary>All members, page by page, in no order that means anything.</summary>
    public readonly HashFieldEnumerator GetEnumerator() => new(_tree);

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal readonly string? FindFault(TreeSource source) =>
        TreeVerifier.FindFault(in _tree, (page, separator, nextSeparator) =>
        {
            for (int index = 0; index < page->Count; index++)
            {
                ulong hash = PageHashes.Of(source, page, index);
                if (RecordPage<HashRecord>.Keys(page)[index] != (byte)hash) return "a wrong tag";
                if (separator != null && hash < *(ulong*)separator) return "a hash below its page";
                if (nextSeparator != null && hash >= *(ulong*)nextSeparator) return "a hash above its page";
            }
            return null;
        });

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly byte* Find(TreeSource source, ReadOnlySpan<byte> member, MemberHint hint)
    {
        TreePage* page = hint.PageIn(in _tree, out int index);
        if (page == null || !HashSearch.IsAt(page, index, member))
        {
            ulong hash = hint.WithHash(source, member).Hash;
            if (page == null) page = _tree.FindPage(new HashSeeker(hash));
            if (page == null) return null;
            index = HashSearch.IndexOf(page, member, hash);
            if (index < 0) return null;
        }
        return RecordPage<HashRecord>.Record(page, index);
    }

    // Goes to the page where a member, whose hash is known, is or would be; returns its index there, or -1.
    // The tree is not empty.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int Seek(ReadOnlySpan<byte> member, MemberHint hint, out TreePath path)
    {
        bool isNoted = hint.TryPathIn(in _tree, out path, out int index);
        if (isNoted && HashSearch.IsAt(path.Page, index, member)) return index;
        if (!isNoted) _tree.Seek(new HashSeeker(hint.Hash), out path);
        return HashSearch.IndexOf(path.Page, member, hint.Hash);
    }

    // Adds a member and returns -1, or returns where it is.
    private int AddOrFind(TreeSource source, in HashField field, MemberHint hint, out TreePath path)
    {
        hint = hint.WithHash(source, field.Member);
        ulong hash = hint.Hash;
        int recordBytes = HashRecord.SizeFor(in field);
        if (_tree.Count == 0)
        {
            int room = RecordPage<HashRecord>.RoomFor(1, recordBytes);
            TreePage* first = source.NewPage(_tree.Home, room);
            Write(first, hash, in field, recordBytes);
            _tree.Append(source, first, (byte*)&hash);
            Unsafe.SkipInit(out path);
            return -1;
        }
        int index = Seek(field.Member, hint, out path);
        if (index >= 0) return index;
        if (RecordPage<HashRecord>.HasRoom(path.Page, recordBytes, 0))
        {
            Write(_tree.Own(source, ref path), hash, in field, recordBytes);
            PageTree.Counted(in path, 1);
        }
        else
        {
            Rebuild(source, ref path, -1, in field, recordBytes);
        }
        return -1;
    }

    /// <summary>Puts a field into a page that has room for its record.</summary>
    internal static void Write(TreePage* page, ulong hash, in HashField field, int recordBytes)
    {
        int index = page->Count;
        HashRecord.Write(RecordPage<HashRecord>.Insert(page, index, recordBytes), in field);
        RecordPage<HashRecord>.Keys(page)[index] = (byte)hash;
    }

    private void Overwrite(
        TreeSource source, ref TreePath path, int index, in HashField field, int recordBytes)
    {
        int oldBytes = HashRecord.SizeOf(RecordPage<HashRecord>.Record(path.Page, index));
        if (oldBytes == recordBytes)
        {
            TreePage* page = _tree.Own(source, ref path);
            HashRecord.Write(RecordPage<HashRecord>.Record(page, index), in field);
        }
        else if (RecordPage<HashRecord>.HasRoom(path.Page, recordBytes, oldBytes))
        {
            TreePage* page = _tree.Own(source, ref path);
            ulong hash = PageHashes.Of(source, page, index);
            RecordPage<HashRecord>.Remove(page, index);
            Write(page, hash, in field, recordBytes);
        }
        else
        {
            Rebuild(source, ref path, index, in field, recordBytes);
        }
    }

    // Puts a page with a field more, or instead of another, in the place of one that has no room; two, if one
    // were too large.
    [SkipLocalsInit]
    private void Rebuild(
        TreeSource source, ref TreePath path, int without, in HashField field, int recordBytes)
    {
        TreePage* page = path.Page;
        Span<int> indexes = page->Count < StackCountMax
            ? stackalloc int[StackCountMax]
            : new int[page->Count + 1];
        TreePage* whole;
        if (without < 0)
        {
            whole = RecordPage<HashRecord>.Copy(source, page, 1, recordBytes);
        }
        else
        {
            Span<int> others = RecordPage<HashRecord>.AllBut(indexes, page->Count, without);
            whole = RecordPage<HashRecord>.Select(source, page, others, 1, recordBytes);
        }
        Write(whole, SipHash.Hash(field.Member, source.Seed), in field, recordBytes);
        if (whole->Used <= RecordPage<HashRecord>.UsedMax || whole->Count == 1)
        {
            _tree.Replace(source, ref path, whole);
            return;
        }
        Span<int> order = indexes[..whole->Count];
        Span<ulong> hashes = whole->Count <= StackCountMax
            ? stackalloc ulong[StackCountMax]
            : new ulong[whole->Count];
        PageHashes.Sort(source, whole, hashes[..order.Length], order);
        int middle = RecordPage<HashRecord>.Middle(whole, order);
        int cut = middle;
        while (cut < order.Length && hashes[cut] == hashes[cut - 1]) cut++;
        if (cut == order.Length)
        {
            for (cut = middle; cut > 0 && hashes[cut] == hashes[cut - 1];) cut--;
        }
        if (cut == 0)
        {
            _tree.Replace(source, ref path, whole);
            return;
        }
        ulong separator = hashes[cut];
        PagePair pair = PageSplit<HashRecord>.Cut(source, whole, order, cut);
        _tree.ReplaceByTwo(source, ref path, pair.Left, pair.Right, (byte*)&separator);
    }
}

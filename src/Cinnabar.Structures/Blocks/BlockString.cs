// A string too big to be moved about: a shallow tree of reference-counted leaves of 64 KiB.
//
// Purpose. A 512 MB value must not be copied under a lock, neither to answer a GET, nor for a snapshot, nor
// when a writer changes a byte of it while one of those is under way; and freeing it must not stop other
// clients. So a reader that needs the string as it is now retains its root, and a writer copies what it
// shares with others on the way to the leaf it changes: at most a root, a node and a leaf, 68 KiB. What has
// no other reference is changed in place.
//
//   BlockString (8 bytes, a pointer)
//      |
//      v root: references, length, bytes           up to 256 leaves (16 MiB): height 1, the root holds leaves
//      +----+----+----+- - -+----+                  above: height 2, a root of 256 nodes of 256 leaves: 4 GiB
//      |    |    |nil |     |    |
//      v    v    zeroes     v    v
//     node  ...            leaf: references, capacity --> bytes: of the arena, or a slice of a region
//
// Invariants.
//   1. A leaf has a capacity of 64 KiB, save the last, which has at least what the string's length needs of
//      it. Bytes of the last leaf behind the length mean nothing.
//   2. An empty place, for a leaf or a node, reads as zero bytes: SETRANGE far beyond the end costs nothing
//      but nodes.
//   3. Each handle has a reference to the root; a root has one to each child, a node too. A count of 1 on the
//      whole path from a handle means that no one else can come here: to make a new reference one must have
//      one.
//
// Ownership. A BlockString is a handle that stands for one reference. Copying the struct copies the pointer,
// not the reference: exactly one copy may be used to write or release, the others must not outlive it. Retain
// makes a handle with a reference of its own. One thread at a time may use a handle; handles to the same root
// may be used by different threads at the same time, since a writer sees that it is not alone and copies.
// Writers may replace the root, so they must work on the place where the handle is stored (the entry), not on
// a copy of it. Spans of a handle are valid until its next write or release.
//
// Adoption. A transport that receives a big argument allocates a BlockRegion and receives into it; Adopt
// makes a tree whose leaves are the region's slices. No byte is copied. Leaves of a region that are replaced
// or dropped give their pages back to the system, those of a region up to 1 MiB with the last of them; the
// mapping goes with the last.
//
// Why not one contiguous block: a writer would have to copy 512 MB while a snapshot holds it. Why not a rope
// with leaves of any size: SETRANGE and SETBIT need an offset's leaf at once, and nothing ever inserts into
// the middle.
//
// Limits: 4 GiB. A last leaf that shrank keeps its capacity. Source of the idea: persistent trees by path
// copying (Driscoll, Sarnak, Sleator, Tarjan 1989), with counts in place of a collector.

namespace Cinnabar.Structures.Blocks;

/// <summary>A handle to a string of up to 4 GiB, stored in blocks that may be shared.</summary>
public unsafe struct BlockString
{
    /// <summary>The longest string there is, in bytes.</summary>
    public const long LengthMax = (long)BlockTree.LeafSize * BlockTree.FanOut * BlockTree.FanOut;

    private BlockNode* _root;

    private BlockString(BlockNode* root) => _root = root;

    /// <summary>Whether this is no string at all, as <c>default</c> and a released one are.</summary>
    public readonly bool IsNull => _root == null;

    /// <summary>Bytes in the string.</summary>
    public readonly long Length => _root->Length;

    /// <summary>Bytes of memory this string occupies, blocks it shares with others counted in full.</summary>
    public readonly long MemoryBytes => _root->Bytes;

    /// <summary>Makes a string of its own with these bytes.</summary>
    public static BlockString Create(BlockSource source, ReadOnlySpan<byte> data)
    {
        var made = new BlockString(BlockTree.NewRoot(source, BlockTree.LeafCount(data.Length)));
        made.Append(source, data);
        return made;
    }

    /// <summary>
    /// Makes a string of zero bytes, which takes no memory to speak of until it is written to.
    /// </summary>
    /// <param name="source">The server's source of blocks; the same for every later call.</param>
    /// <param name="length">Bytes, 0 to <see cref="LengthMax"/>.</param>
    public static BlockString CreateZero(BlockSource source, long length)
    {
        CheckLength(length);
        var made = new BlockString(BlockTree.NewRoot(source, BlockTree.LeafCount(length)));
        made._root->Length = length;
        return made;
    }

    /// <summary>
    /// Makes a string of the first bytes of a region, without a copy. The region is the string's then.
    /// </summary>
    /// <param name="source">The server's source of blocks; the same for every later call.</param>
    /// <param name="region">Not to be used by the caller any more.</param>
    /// <param name="length">Bytes, 0 to the region's capacity.</param>
    public static BlockString Adopt(BlockSource source, BlockRegion region, long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, region.Capacity);
        int leafCount = region.Header->LeafCount;
        BlockNode* root = BlockTree.NewRoot(source, leafCount);
        BlockLeaf* leaves = BlockRegionHeader.Leaves(region.Header);
        for (int index = 0; index < leafCount; index++)
        {
            BlockTree.PutLeaf(source, root, index, leaves + index);
        }
        root->Length = length;
        BlockTree.Cut(source, root, BlockTree.LeafCount(length));
        return new BlockString(root);
    }

    /// <summary>The handle whose <see cref="Address"/> this was: for handles kept in native memory.</summary>
    public static BlockString FromAddress(nint address) => new((BlockNode*)address);

    /// <summary>The handle as a number, 0 for none.</summary>
    public readonly nint Address => (nint)_root;

    /// <summary>
    /// A handle with a reference of its own to the string as it is now. The caller must hold a handle.
    /// </summary>
    public readonly BlockString Retain()
    {
        Debug.Assert(!IsNull, "there is no string");
        Interlocked.Increment(ref _root->References);
        return new BlockString(_root);
    }

    /// <summary>
    /// Gives up the reference, on any thread; the handle is null afterwards. If it was the last one to
    /// something big, that is freed by <see cref="BlockSource.ReclaimSlice"/> later.
    /// </summary>
    public void Release(BlockSource source)
    {
        Debug.Assert(!IsNull, "a string is released twice");
        BlockNode* root = _root;
        _root = null;
        source.ReleaseNode(root);
    }

    /// <summary>
    /// The bytes from an offset (0 to <see cref="Length"/>) to the end of its leaf or the string.
    /// </summary>
    public readonly ReadOnlySpan<byte> SpanAt(long offset)
    {
        Debug.Assert(offset >= 0 && offset <= Length, "an offset outside of the string");
        if (offset == _root->Length) return default;
        int leafIndex = (int)(offset / BlockTree.LeafSize);
        int start = (int)(offset % BlockTree.LeafSize);
        BlockLeaf* leaf = BlockTree.FindLeaf(_root, leafIndex);
        byte* data = leaf == null ? _root->Zeroes : leaf->Data;
        // SAFETY: the leaf's capacity, and the zeroes, reach at least as far as the string does.
        return new ReadOnlySpan<byte>(data + start, BlockTree.UsedOf(_root->Length, leafIndex) - start);
    }

    /// <summary>
    /// The spans of a part of the string, for <c>foreach</c>; offset + count is at most the length.
    /// </summary>
    public readonly BlockSpans Spans(long offset, long count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Length - offset);
        return new BlockSpans(this, offset, count);
    }

    /// <summary>The spans of the whole string, for <c>foreach</c>.</summary>
    public readonly BlockSpans Spans() => new(this, 0, Length);

    /// <summary>Copies bytes from an offset on, as many as the destination is long.</summary>
    public readonly void CopyTo(long offset, Span<byte> destination)
    {
        foreach (ReadOnlySpan<byte> span in Spans(offset, destination.Length))
        {
            span.CopyTo(destination);
            destination = destination[span.Length..];
        }
    }

    /// <summary>Overwrites bytes that are there: offset + data length is at most the length.</summary>
    public void Write(BlockSource source, long offset, ReadOnlySpan<byte> data)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(data.Length, Length - offset);
        while (data.Length > 0)
        {
            int start = (int)(offset % BlockTree.LeafSize);
            int count = Math.Min(data.Length, BlockTree.LeafSize - start);
            data[..count].CopyTo(Overwritable(source, offset, count));
            data = data[count..];
            offset += count;
        }
    }

    /// <summary>
    /// The bytes from an offset (below <see cref="Length"/>) to the end of its leaf or the string, for
    /// changing.
    /// </summary>
    public Span<byte> WritableSpanAt(BlockSource source, long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(offset, Length);
        int start = (int)(offset % BlockTree.LeafSize);
        int used = BlockTree.UsedOf(Length, (int)(offset / BlockTree.LeafSize));
        Overwritable(source, offset, 0);
        BlockLeaf* leaf = BlockTree.FindLeaf(_root, (int)(offset / BlockTree.LeafSize));
        // SAFETY: the leaf is ours alone now, and reaches as far as the string does.
        return new Span<byte>(leaf->Data + start, used - start);
    }

    /// <summary>Adds bytes at the end.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The string would be longer than it may be.</exception>
    public void Append(BlockSource source, ReadOnlySpan<byte> data)
    {
        long length = Length;
        CheckLength(length + data.Length);
        _root = BlockTree.MakeWritable(source, _root, BlockTree.LeafCount(length + data.Length));
        while (data.Length > 0)
        {
            int leafIndex = (int)(length / BlockTree.LeafSize);
            int start = (int)(length % BlockTree.LeafSize);
            int count = Math.Min(data.Length, BlockTree.LeafSize - start);
            BlockLeaf* leaf = BlockTree.EnsureLeaf(source, _root, leafIndex,
                new LeafEdit(Valid: start, Used: start + count, start, count));
            // SAFETY: EnsureLeaf made room for start + count bytes.
            data[..count].CopyTo(new Span<byte>(leaf->Data + start, count));
            data = data[count..];
            length += count;
            _root->Length = length;
        }
    }

    /// <summary>
    /// Makes the string longer with zero bytes, or shorter; what it loses is freed if it is not shared.
    /// </summary>
    /// <param name="source">The server's source of blocks; the same for every later call.</param>
    /// <param name="length">Bytes, 0 to <see cref="LengthMax"/>.</param>
    public void Resize(BlockSource source, long length)
    {
        CheckLength(length);
        long oldLength = Length;
        if (length == oldLength) return;
        _root = BlockTree.MakeWritable(source, _root, BlockTree.LeafCount(length));
        if (length < oldLength)
        {
            BlockTree.Cut(source, _root, BlockTree.LeafCount(length));
        }
        else
        {
            int tail = (int)(oldLength / BlockTree.LeafSize);
            int valid = (int)(oldLength % BlockTree.LeafSize);
            if (valid > 0 && BlockTree.FindLeaf(_root, tail) != null)
            {
                int used = BlockTree.UsedOf(length, tail);
                BlockTree.EnsureLeaf(source, _root, tail, new LeafEdit(valid, used, Start: valid, Count: 0));
            }
        }
        _root->Length = length;
    }

    private static void CheckLength(long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, LengthMax);
    }

    // Makes the path to one leaf writable, its other bytes kept.
    private Span<byte> Overwritable(BlockSource source, long offset, int count)
    {
        int leafIndex = (int)(offset / BlockTree.LeafSize);
        int start = (int)(offset % BlockTree.LeafSize);
        int used = BlockTree.UsedOf(Length, leafIndex);
        _root = BlockTree.MakeWritable(source, _root, leafIndex + 1);
        var edit = new LeafEdit(Valid: used, used, start, count);
        BlockLeaf* leaf = BlockTree.EnsureLeaf(source, _root, leafIndex, edit);
        // SAFETY: EnsureLeaf made room for all bytes of the string in this leaf.
        return new Span<byte>(leaf->Data + start, count);
    }
}

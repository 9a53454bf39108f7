using System;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Threading;

namespace Cinnabar.Lab.Pipelines;

/// <summary>
/// The smallest honest lock-free dictionary: a split-ordered list (Shalev and Shavit, "Split-ordered lists:
/// lock-free extensible hash tables", 2006) without removal, which no command of these stations needs.
/// <para>
/// All entries are in one linked list, in the order of their reversed hashes. Bucket b is a pointer to a
/// marker in that list, where the hashes begin whose low bits are b; reversed, they are adjacent. So when the
/// buckets double, no entry moves: bucket b + n gets a marker in the middle of bucket b's stretch at its
/// first use. Markers have even orders, entries odd ones.
/// </para>
/// <code>
/// 4 buckets:  [0]------------------+   [2]-------+        [1]------+        [3]------+
///                                  v             v                 v                 v
/// list:                            M0 > e > e >  M2 > e > e > e >  M1 > e > e > e >  M3 > e > null
/// low bits of the hashes:               00   00       10  10  10        01  01  01        11
/// </code>
/// Invariants: an order never decreases along the list; a node once linked stays linked, and its successor
/// only changes to a new node between the two. Limits: no removal, no enumeration, 2^29 buckets; the memory
/// of the bucket pointers grows in pieces that double, and is never given back.
/// </summary>
internal sealed class LockFreeDictionary<TKey, TValue> where TKey : class where TValue : class
{
    private const int FirstPieceSize = 1024;
    private const int PieceCountMax = 21;
    private const int EntriesPerBucketMax = 2;

    private readonly Node?[]?[] _pieces = new Node?[]?[PieceCountMax];
    private int _bucketCount = FirstPieceSize;
    private int _count;

    public LockFreeDictionary()
    {
        _pieces[0] = new Node?[FirstPieceSize];
        _pieces[0]![0] = new Node(0, null, null);
    }

    /// <summary>How many keys it has.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The value of a key.</summary>
    public bool TryGet<TProbe>(TProbe probe, [NotNullWhen(true)] out TValue? value)
        where TProbe : IProbe<TKey>, allows ref struct
    {
        uint hash = probe.Hash;
        uint order = Reverse(hash) | 1;
        Node? node = Bucket(hash).Next;
        for (; node is not null && node.Order <= order; node = node.Next)
        {
            if (node.Order != order || !probe.Matches(node.Key!)) continue;
            value = node.Value!;
            return true;
        }

        value = null;
        return false;
    }

    /// <summary>Gives a key a value; of two at once, either is the last.</summary>
    public void Set<TProbe>(TProbe probe, TValue value) where TProbe : IProbe<TKey>, allows ref struct
    {
        uint hash = probe.Hash;
        uint order = Reverse(hash) | 1;
        Node previous = Bucket(hash);
        Node? added = null;
        for (; ; )
        {
            Node? next = previous.Next;
            if (next is not null && next.Order <= order)
            {
                if (next.Order == order && probe.Matches(next.Key!))
                {
                    next.Value = value;
                    return;
                }

                previous = next;
                continue;
            }

            added ??= new Node(order, probe.ToKey(), value);
            added.Next = next;
            // ORDER: the exchange publishes the node's fields. It goes behind all of the same order, so
            // a thread that adds the same key at once has the same predecessor: one exchange fails, sees the
            // other's node, and sets it.
            if (previous.TryLink(added, next)) break;
        }

        Grow(Interlocked.Increment(ref _count));
    }

    private static uint Reverse(uint value)
    {
        value = ((value >> 1) & 0x55555555) | ((value & 0x55555555) << 1);
        value = ((value >> 2) & 0x33333333) | ((value & 0x33333333) << 2);
        value = ((value >> 4) & 0x0F0F0F0F) | ((value & 0x0F0F0F0F) << 4);
        return System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(value);
    }

    private void Grow(int count)
    {
        int bucketCount = Volatile.Read(ref _bucketCount);
        if (count / EntriesPerBucketMax < bucketCount || bucketCount > int.MaxValue / 4) return;
        // ORDER: a thread that sees the new count finds the missing piece and markers missing, and makes them
        // itself.
        Interlocked.CompareExchange(ref _bucketCount, 2 * bucketCount, bucketCount);
    }

    private Node Bucket(uint hash)
    {
        uint bucket = hash & (uint)(Volatile.Read(ref _bucketCount) - 1);
        return Volatile.Read(ref Slot(bucket)) ?? Mark(bucket);
    }

    // Piece 0 has the first buckets, piece n as many as all pieces before it.
    private ref Node? Slot(uint bucket)
    {
        int index = bucket < FirstPieceSize ? 0
            : BitOperations.Log2(bucket) - BitOperations.Log2((uint)FirstPieceSize) + 1;
        int first = index == 0 ? 0 : FirstPieceSize << (index - 1);
        Node?[]? piece = Volatile.Read(ref _pieces[index]);
        if (piece is null)
        {
            var made = new Node?[first];
            // ORDER: of two makers one wins; the other's has not been written into yet.
            piece = Interlocked.CompareExchange(ref _pieces[index], made, null) ?? made;
        }

        return ref piece[bucket - (uint)first];
    }

    // Links the marker of a bucket into the stretch of the bucket that it was split from. At most 29 deep.
    private Node Mark(uint bucket)
    {
        uint parent = bucket & ~(1u << BitOperations.Log2(bucket));
        Node previous = Volatile.Read(ref Slot(parent)) ?? Mark(parent);
        uint order = Reverse(bucket);
        var marker = new Node(order, null, null);
        for (; ; )
        {
            Node? next = previous.Next;
            if (next is not null && next.Order <= order)
            {
                previous = next;
                if (next.Order != order) continue;
                marker = next;
                break;
            }

            marker.Next = next;
            if (previous.TryLink(marker, next)) break;
        }

        // ORDER: a thread that lost the race has found the winner's marker: all store the same.
        Volatile.Write(ref Slot(bucket), marker);
        return marker;
    }

    private sealed class Node(uint order, TKey? key, TValue? value)
    {
        private volatile Node? _next;
        private volatile TValue? _value = value;

        public uint Order { get; } = order;

        public TKey? Key { get; } = key;

        public TValue? Value { get => _value; set => _value = value; }

        public Node? Next { get => _next; set => _next = value; }

        public bool TryLink(Node node, Node? next) =>
            Interlocked.CompareExchange(ref _next, node, next) == next;
    }
}

// The sorted set that ours is compared with (docs/adr/0007): a skip list with the distances of its links,
// which gives ranks, and the same index by member as ours has (HashPages), out of the same allocator.
//
//   node:  score 8 | before 8 | length of the member 4 | height 4 | height x (next 8, distance 8) | member
//
// The member is in the node, where Redis has (up to 8.0) a pointer to another block: this saves a cache miss
// at each node, 8 bytes and a block's header. A quarter of the nodes of each level are in the next one, as
// usual: 1.33 levels on average, 45 bytes beside the member. Source: W. Pugh, Skip Lists: A Probabilistic
// Alternative to Balanced Trees, and his Skip List Cookbook for ranks.
using System;
using System.Buffers.Binary;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

// SAFETY: nodes come from an arena of this set's own and are reached from its head until they are freed.
/// <summary>A sorted set on a skip list.</summary>
internal sealed unsafe class SkipListSortedSet : IScoredSet
{
    private const int HeightMax = 32;

    private readonly TreeSource _source;
    private readonly Arena _arena;
    private readonly Node* _head;
    private readonly Node*[] _path = new Node*[HeightMax];
    private readonly long[] _ranks = new long[HeightMax];
    private readonly byte[] _value = new byte[sizeof(double)];
    private HashPages _index;
    private RandomSource _random = new(11);
    private int _height = 1;
    private long _count;

    internal SkipListSortedSet(PageSource pages, TreeSource source)
    {
        _source = source;
        _arena = new Arena(pages, "skip list");
        _index = HashPages.Create(source);
        _head = NewNode(HeightMax, 0, default);
    }

    public long MemoryBytes => _index.MemoryBytes + _arena.UsedBytes;

    public void Set(byte[] member, double score)
    {
        if (_index.TryGet(_source, member, out HashField field))
        {
            double old = BinaryPrimitives.ReadDoubleLittleEndian(field.Value);
            if (old == score) return;
            Remove(old, member);
        }
        BinaryPrimitives.WriteDoubleLittleEndian(_value, score);
        _index.Set(_source, new HashField(member, _value, HashField.NoDeadline));
        Insert(score, member);
    }

    public double Score(byte[] member) => _index.TryGet(_source, member, out HashField field)
        ? BinaryPrimitives.ReadDoubleLittleEndian(field.Value) : -1;

    public long RankOf(byte[] member)
    {
        double score = Score(member);
        if (score < 0) return -1;
        Seek(score, member);
        return _ranks[0];
    }

    public long CountUpTo(double score)
    {
        Node* node = _head;
        long rank = 0;
        for (int level = _height - 1; level >= 0; level--)
        {
            while (node->Next(level) != null && node->Next(level)->Score <= score)
            {
                rank += node->Distance(level);
                node = node->Next(level);
            }
        }
        return rank;
    }

    public double Sum(long rank, int count)
    {
        Node* node = _head;
        long at = -1;
        for (int level = _height - 1; level >= 0; level--)
        {
            while (node->Next(level) != null && at + node->Distance(level) <= rank)
            {
                at += node->Distance(level);
                node = node->Next(level);
            }
        }
        double sum = 0;
        for (; count > 0 && node != null; count--)
        {
            sum += node->Score + node->Member[^1];
            node = node->Next(0);
        }
        return sum;
    }

    public void RemoveFirst()
    {
        Node* first = _head->Next(0);
        Span<byte> member = stackalloc byte[first->MemberLength];
        first->Member.CopyTo(member);
        Remove(first->Score, member);
        _index.Remove(_source, member);
    }

    public void Release()
    {
        _index.Release(_source);
        _arena.Dispose();
    }

    // Notes the last node of each level that comes before a member, and how many come before it.
    private void Seek(double score, ReadOnlySpan<byte> member)
    {
        Node* node = _head;
        long rank = 0;
        for (int level = _height - 1; level >= 0; level--)
        {
            while (IsBefore(node->Next(level), score, member))
            {
                rank += node->Distance(level);
                node = node->Next(level);
            }
            _path[level] = node;
            _ranks[level] = rank;
        }
    }

    private static bool IsBefore(Node* node, double score, ReadOnlySpan<byte> member) =>
        node != null && (node->Score < score
            || (node->Score == score && node->Member.SequenceCompareTo(member) < 0));

    private void Insert(double score, ReadOnlySpan<byte> member)
    {
        Seek(score, member);
        int height = 1;
        while (height < HeightMax && (_random.Next() & 3) == 0) height++;
        for (; _height < height; _height++)
        {
            _path[_height] = _head;
            _ranks[_height] = 0;
            _head->Distance(_height) = _count;
        }
        Node* node = NewNode(height, score, member);
        for (int level = 0; level < height; level++)
        {
            Node* before = _path[level];
            long skipped = _ranks[0] - _ranks[level];
            node->Next(level) = before->Next(level);
            node->Distance(level) = before->Distance(level) - skipped;
            before->Next(level) = node;
            before->Distance(level) = skipped + 1;
        }
        for (int level = height; level < _height; level++) _path[level]->Distance(level)++;
        node->Before = _path[0];
        if (node->Next(0) != null) node->Next(0)->Before = node;
        _count++;
    }

    private void Remove(double score, ReadOnlySpan<byte> member)
    {
        Seek(score, member);
        Node* node = _path[0]->Next(0);
        for (int level = 0; level < _height; level++)
        {
            Node* before = _path[level];
            before->Distance(level)--;
            if (level >= node->Height) continue;
            before->Distance(level) += node->Distance(level);
            before->Next(level) = node->Next(level);
        }
        if (node->Next(0) != null) node->Next(0)->Before = node->Before;
        while (_height > 1 && _head->Next(_height - 1) == null) _height--;
        _arena.Free((byte*)node, SizeOf(node->Height, node->MemberLength));
        _count--;
    }

    private Node* NewNode(int height, double score, ReadOnlySpan<byte> member)
    {
        nuint size = SizeOf(height, member.Length);
        byte* block = _arena.Allocate(size);
        new Span<byte>(block, (int)size).Clear();
        var node = (Node*)block;
        node->Score = score;
        node->MemberLength = member.Length;
        node->Height = height;
        member.CopyTo(node->Member);
        return node;
    }

    private static nuint SizeOf(int height, int memberLength) =>
        (nuint)(sizeof(Node) + height * 2 * sizeof(long) + memberLength);

    private struct Node
    {
        internal double Score;
        internal Node* Before;
        internal int MemberLength;
        internal int Height;

        internal Span<byte> Member
        {
            get
            {
                fixed (Node* node = &this)
                    return new Span<byte>((long*)(node + 1) + 2 * Height, MemberLength);
            }
        }

        internal ref Node* Next(int level)
        {
            fixed (Node* node = &this) return ref ((Node**)(node + 1))[2 * level];
        }

        internal ref long Distance(int level)
        {
            fixed (Node* node = &this) return ref ((long*)(node + 1))[2 * level + 1];
        }
    }
}

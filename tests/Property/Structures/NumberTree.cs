// The smallest user of a PageTree: a sequence of numbers, a few to a page so that trees get high.
using System;
using System.Collections.Generic;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Tests.Property.Structures;

// SAFETY: pages are edited only when owned, within the room that they were made with.
/// <summary>A sequence of numbers.</summary>
internal sealed unsafe class NumberTree(TreeSource source, PageTree tree)
{
    private const int PerPageMax = 4;

    private PageTree _tree = tree;

    internal NumberTree(TreeSource source) : this(source, PageTree.Create(source, 0))
    {
    }

    internal long Count => _tree.Count;

    internal long MemoryBytes => _tree.MemoryBytes;

    internal int Height => _tree.Root->Height;

    internal NumberTree Snapshot() => new(source, _tree.Retain());

    internal void Release() => _tree.Release(source);

    internal string? FindFault() => TreeVerifier.FindFault(in _tree, static (page, separator, _) =>
        page->Count > PerPageMax ? "a page is too full" : null);

    internal (double Nodes, double Pages) Fill() => TreeVerifier.Fill(in _tree);

    internal void Insert(long rank, int value)
    {
        TreePage* page;
        if (_tree.Count == 0)
        {
            _tree.Append(source, NewPage(value), null);
            return;
        }
        int index = _tree.SeekRank(Math.Min(rank, _tree.Count - 1), out TreePath path);
        if (rank == _tree.Count) index++;
        int count = path.Page->Count;
        if (count < PerPageMax)
        {
            page = _tree.Own(source, ref path);
            var numbers = new Span<int>(TreePage.Data(page), count + 1);
            numbers[index..^1].CopyTo(numbers[(index + 1)..]);
            numbers[index] = value;
            page->Used += 4;
            page->Count++;
            PageTree.Counted(in path, 1);
            return;
        }
        page = NewPage(value);
        if (index == count)
        {
            _tree.ReplaceByTwo(source, ref path, path.Page, page, null);
            return;
        }
        if (index == 0)
        {
            _tree.ReplaceByTwo(source, ref path, page, path.Page, null);
            return;
        }
        source.ReleasePage(page);
        SplitAt(ref path, index);
        Insert(rank, value);
    }

    internal void Set(long rank, int value)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        Numbers(_tree.Own(source, ref path))[index] = value;
    }

    internal int Get(long rank)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        if (PageTree.RankOf(in path) + index != rank) throw new InvalidOperationException("a wrong rank");
        return Numbers(path.Page)[index];
    }

    internal void RemoveRange(long from, long to)
    {
        while (from < to)
        {
            int index = _tree.SeekRank(from, out TreePath path);
            if (index == 0 && path.Page->Count <= to - from)
            {
                long end = to == _tree.Count ? to : to - _tree.SeekRank(to, out _);
                _tree.RemovePages(source, from, end);
                to -= end - from;
                continue;
            }
            int count = (int)Math.Min(path.Page->Count - index, to - from);
            TreePage* page = _tree.Own(source, ref path);
            Span<int> numbers = Numbers(page);
            numbers[(index + count)..].CopyTo(numbers[index..]);
            page->Used -= 4 * count;
            page->Count -= count;
            PageTree.Counted(in path, -count);
            to -= count;
        }
    }

    internal List<int> ToList()
    {
        var all = new List<int>();
        if (_tree.Count == 0) return all;
        _tree.SeekEdge(isLast: false, out TreePath path);
        do
        {
            foreach (int number in Numbers(path.Page)) all.Add(number);
        }
        while (path.MoveNext());
        return all;
    }

    internal List<int> ToReversedList()
    {
        var all = new List<int>();
        if (_tree.Count == 0) return all;
        _tree.SeekEdge(isLast: true, out TreePath path);
        do
        {
            Span<int> numbers = Numbers(path.Page);
            for (int index = numbers.Length - 1; index >= 0; index--) all.Add(numbers[index]);
        }
        while (path.MoveBack());
        return all;
    }

    private static Span<int> Numbers(TreePage* page) => new(TreePage.Data(page), page->Count);

    private void SplitAt(ref TreePath path, int index)
    {
        TreePage* left = NewPage(Numbers(path.Page)[..index]);
        TreePage* right;
        try
        {
            right = NewPage(Numbers(path.Page)[index..]);
        }
        catch (OutOfMemoryException)
        {
            source.ReleasePage(left);
            throw;
        }
        _tree.ReplaceByTwo(source, ref path, left, right, null);
    }

    private TreePage* NewPage(params ReadOnlySpan<int> numbers)
    {
        TreePage* page = source.NewPage(_tree.Home, 4 * PerPageMax);
        numbers.CopyTo(new Span<int>(TreePage.Data(page), numbers.Length));
        page->Used = 4 * numbers.Length;
        page->Count = numbers.Length;
        return page;
    }
}

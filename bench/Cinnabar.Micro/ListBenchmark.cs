using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A list of elements of 16 bytes.</summary>
internal sealed class ListBenchmark(Stretches stretches, int count)
{
    private readonly ListPageLimits _limits = new(-2);
    private readonly Members _members = new(count);
    private ListPages _list;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _list = ListPages.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("list");
        stretches.Measure("push at the tail", count, index => Push(source, ListEnd.Tail, index));
        stretches.Print("memory", _list.MemoryBytes / (double)count);
        stretches.Print("memory mapped", source.MappedBytes / (double)count);
        stretches.Measure("element by index", count / 5, _ => Sum(_members.RandomIndex(), 1));
        stretches.Measure("100 by index", count / 10, _ => Sum(_members.RandomIndex(), 100));
        stretches.Measure("600 from the head", count / 10, _ => Sum(0, 600));
        stretches.Measure("insert in the middle", count / 10, index =>
            _list.Insert(source, in _limits, _members.RandomIndex(), new ListpackElement(_members[index])));
        stretches.Measure("set", count / 10, index =>
            _list.Set(source, in _limits, _members.RandomIndex(), new ListpackElement(_members[index])));
        stretches.Measure("pop at the tail", count / 2, _ => _list.Pop(source, ListEnd.Tail));
        stretches.Measure("push at the head", count / 2, index => Push(source, ListEnd.Head, index));
        stretches.Measure("pop at the head", count / 2, _ => _list.Pop(source, ListEnd.Head));
        _list.Release(source);
    }

    private void Push(TreeSource source, ListEnd end, int index) =>
        _list.Push(source, in _limits, end, new ListpackElement(_members[index]));

    private void Sum(int rank, int length)
    {
        ListCursor cursor = _list.CursorAt(Math.Min(rank, _list.Count - length));
        long sum = 0;
        do sum += cursor.Current.Length;
        while (--length > 0 && cursor.MoveNext());
        if (sum < 0) throw new InvalidOperationException();
    }
}

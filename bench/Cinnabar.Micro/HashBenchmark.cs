using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A hash of fields and values of 16 bytes, and the order of its fields' deadlines.</summary>
internal sealed class HashBenchmark(Stretches stretches, int count)
{
    private readonly Members _fields = new(count);
    private readonly Members _values = new(count);
    private HashPages _hash;
    private FieldDeadlines _deadlines;
    private long _first;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _hash = HashPages.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("hash");
        stretches.Measure("set", count, index => Set(source, index, HashField.NoDeadline));
        stretches.Print("memory", _hash.MemoryBytes / (double)count);
        stretches.Measure("get", count, _ =>
            _hash.TryGet(source, _fields[_fields.RandomIndex()], out HashField _));
        stretches.Measure("get, not there", count / 2, _ =>
            _hash.TryGet(source, _fields[count + _fields.RandomIndex()], out HashField _));
        stretches.Measure("another value", count / 2, _ =>
            Set(source, _fields.RandomIndex(), HashField.NoDeadline));
        stretches.Measure("with a deadline", count / 5, index => Set(source, index, Deadline(index)));
        stretches.Measure("remove", count, index => _hash.Remove(source, _fields[index]));
        _hash.Release(source);
        RunDeadlines(source);
    }

    private void RunDeadlines(TreeSource source)
    {
        _deadlines = FieldDeadlines.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("deadlines of fields");
        stretches.Measure("add", count, index => _deadlines.Add(source, Deadline(index), _fields[index]));
        stretches.Print("memory", _deadlines.MemoryBytes / (double)count);
        stretches.Measure("first", count / 5, _ => _first = _deadlines.FirstMs);
        stretches.Measure("how many have passed", count / 5, index => _deadlines.CountDue(Deadline(index)));
        stretches.Measure("remove and add", count / 5, index =>
        {
            _deadlines.Remove(source, Deadline(index), _fields[index]);
            _deadlines.Add(source, Deadline(index), _fields[index]);
        });
        stretches.Measure("remove the first", count / 2, _ => _deadlines.RemoveFirst(source));
        _deadlines.Release(source);
    }

    private void Set(TreeSource source, int index, long deadlineMs) =>
        _hash.Set(source, new HashField(_fields[index], _values[index], deadlineMs));

    // Scattered over a day.
    private static long Deadline(int index) =>
        1_800_000_000_000 + (uint)(index * 2_654_435_761L) % 86_400_000;
}

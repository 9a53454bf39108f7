using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A set of members of 16 bytes.</summary>
internal sealed class SetBenchmark(Stretches stretches, int count)
{
    private readonly Members _members = new(count);
    private HashPages _set;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _set = HashPages.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("set");
        stretches.Measure("add", count, index => _set.Set(source, new HashField(_members[index])));
        stretches.Print("memory", _set.MemoryBytes / (double)count);
        stretches.Print("memory mapped", source.MappedBytes / (double)count);
        stretches.Measure("contains", count, _ => _set.Contains(source, _members[_members.RandomIndex()]));
        stretches.Measure("contains, not there", count, _ =>
            _set.Contains(source, _members[count + _members.RandomIndex()]));
        stretches.Measure("random member", count, _ => _set.At(_members.RandomIndex()));
        HashPages snapshot = _set.Retain();
        stretches.Measure("remove and add, snapshot held", count / 10, index =>
        {
            _set.Remove(source, _members[index]);
            _set.Set(source, new HashField(_members[index]));
        });
        snapshot.Release(source);
        stretches.Measure("remove", count, index => _set.Remove(source, _members[index]));
        _set.Release(source);
    }
}

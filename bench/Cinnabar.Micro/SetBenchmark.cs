using System;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A set of members of 16 bytes.</summary>
internal sealed class SetBenchmark(Stretches stretches, int count)
{
    private readonly byte[] _member = new byte[16];
    private RandomSource _random = new(7);
    private HashPages _set;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _set = HashPages.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("set");
        stretches.Measure("add", count, index => _set.Set(source, new HashField(Member(index))));
        stretches.Print("memory", _set.MemoryBytes / (double)count);
        stretches.Print("memory mapped", source.MappedBytes / (double)count);
        stretches.Measure("contains", count, _ => _set.Contains(source, Member(RandomIndex())));
        stretches.Measure("contains, not there", count, _ =>
            _set.Contains(source, Member(count + RandomIndex())));
        stretches.Measure("random member", count, _ => _set.At(RandomIndex()));
        HashPages snapshot = _set.Retain();
        stretches.Measure("remove and add, snapshot held", count / 10, index =>
        {
            _set.Remove(source, Member(index));
            _set.Set(source, new HashField(Member(index)));
        });
        snapshot.Release(source);
        stretches.Measure("remove", count, index => _set.Remove(source, Member(index)));
        _set.Release(source);
    }

    private int RandomIndex() => (int)_random.NextBelow((ulong)count);

    private byte[] Member(int number)
    {
        "member:"u8.CopyTo(_member);
        for (int at = 15; at >= 7; at--, number /= 10) _member[at] = (byte)('0' + number % 10);
        return _member;
    }
}

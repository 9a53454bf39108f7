using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using Cinnabar.Memory;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro.Structures;

/// <summary>A stream of entries of one field, a hundred to a page.</summary>
[MemoryDiagnoser]
public unsafe class StreamBenchmarks
{
    private const int EntryCount = 100_000;
    private const int RangeCount = 100;
    private PageSource _pages = null!;
    private TreeSource _source = null!;
    private StreamTree _stream;
    private Argument* _items;
    private ulong _next;

    /// <summary>A stream of a hundred thousand entries.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _pages = new PageSource(isChecked: false);
        _source = new TreeSource(_pages, new HashSeed(1, 2), arenaCount: 1);
        _stream = StreamTree.Create(_source);
        _items = (Argument*)NativeMemory.AllocZeroed(2, (nuint)sizeof(Argument));
        byte* text = (byte*)NativeMemory.AllocZeroed(16);
        // SAFETY: a field of 5 bytes and a value of 10, in 16.
        _items[0] = new Argument { Data = text, Length = 5 };
        _items[1] = new Argument { Data = text + 5, Length = 10 };
        for (int count = 0; count < EntryCount; count++) Append();
    }

    /// <summary>Gives the memory back.</summary>
    [GlobalCleanup]
    public void Cleanup()
    {
        _stream.Release(_source);
        _source.Dispose();
        _pages.Dispose();
        NativeMemory.Free(_items[0].Data);
        NativeMemory.Free(_items);
    }

    /// <summary>XADD and XTRIM with ~: as many entries as before, about.</summary>
    [Benchmark]
    public long AppendAndTrim()
    {
        Append();
        var trim = new StreamTrim { LengthMax = EntryCount, IsApproximate = true };
        return _stream.Trim(_source, in trim);
    }

    /// <summary>XRANGE of a hundred entries in the middle, without their texts.</summary>
    [Benchmark]
    public int Range()
    {
        StreamCursor cursor = _stream.Range(
            new StreamId(_next - EntryCount / 2, 0), StreamId.Max, isReverse: false);
        int count = 0;
        while (count < RangeCount && cursor.MoveNext()) count++;
        return count;
    }

    private void Append()
    {
        var fields = new ArgumentList(_items, 2);
        _stream.Append(_source, new StreamId(++_next, 0), fields, StreamNodeLimits.Default);
    }
}

using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using Cinnabar.Structures.Intsets;

namespace Cinnabar.Micro.Structures;

/// <summary>An intset of 512 members, the most that it has by default.</summary>
[MemoryDiagnoser]
public unsafe class IntsetBenchmarks
{
    private const int Capacity = 1 << 13;
    private const int MemberCount = 511;
    private byte* _data;
    private long _scale;
    private long _next;

    /// <summary>Bytes of a member.</summary>
    [Params(2, 8)]
    public int Width { get; set; }

    /// <summary>Members at equal distances.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _data = (byte*)NativeMemory.Alloc(Capacity);
        Intset.Initialize(_data);
        _scale = Width == 2 ? 20 : 1L << 40;
        for (int member = 1; member <= MemberCount; member++)
            new IntsetEditor(_data, Capacity).Add(member * _scale);
    }

    /// <summary>Gives the memory back.</summary>
    [GlobalCleanup]
    public void Cleanup() => NativeMemory.Free(_data);

    /// <summary>SISMEMBER of members here and there.</summary>
    [Benchmark]
    public bool Contains()
    {
        _next = (_next * 181 + 57) & 511;
        return new IntsetReader(_data).Contains(_next * _scale);
    }

    /// <summary>SADD in the middle, and SREM.</summary>
    [Benchmark]
    public bool AddAndRemove()
    {
        var editor = new IntsetEditor(_data, Capacity);
        return editor.Add(256 * _scale + 1) && editor.Remove(256 * _scale + 1);
    }
}

using System.Runtime.InteropServices;
using System.Text;
using BenchmarkDotNet.Attributes;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Micro.Structures;

/// <summary>A hash of some fields as a listpack.</summary>
[MemoryDiagnoser]
public unsafe class ListpackBenchmarks
{
    private const int Capacity = 1 << 16;
    private byte* _data;
    private byte[] _last = [];

    /// <summary>How many fields the hash has.</summary>
    [Params(5, 100)]
    public int FieldCount { get; set; }

    /// <summary>Fields named alike, with values of 12 bytes.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _data = (byte*)NativeMemory.Alloc(Capacity);
        Listpack.Initialize(_data);
        for (int field = 0; field < FieldCount; field++)
        {
            _last = Encoding.ASCII.GetBytes($"field:{field:000}");
            var editor = new ListpackEditor(_data, Capacity);
            editor.Append(new ListpackElement(_last), new ListpackElement("a small text"u8));
        }
    }

    /// <summary>Gives the memory back.</summary>
    [GlobalCleanup]
    public void Cleanup() => NativeMemory.Free(_data);

    /// <summary>HGET of the last field.</summary>
    [Benchmark]
    public int FindLast() => new ListpackReader(_data).Find(_last, Listpack.HeaderSize, 2);

    /// <summary>HGET of a field that is not there.</summary>
    [Benchmark]
    public int FindNothing() => new ListpackReader(_data).Find("field:xyz"u8, Listpack.HeaderSize, 2);

    /// <summary>HGET of a number that is not there.</summary>
    [Benchmark]
    public int FindNoInteger() => new ListpackReader(_data).Find("12345"u8, Listpack.HeaderSize, 2);

    /// <summary>HGETALL without the replies.</summary>
    [Benchmark]
    public int Walk()
    {
        int length = 0;
        foreach (ListpackValue value in new ListpackReader(_data)) length += value.Text.Length;
        return length;
    }

    /// <summary>HSET of a new field, and HDEL.</summary>
    [Benchmark]
    public int AppendAndDelete()
    {
        var editor = new ListpackEditor(_data, Capacity);
        int position = editor.Reader.End;
        editor.Append(new ListpackElement("field:new"u8), new ListpackElement(12345));
        return editor.Delete(position, 2);
    }

    /// <summary>The check of RESTORE.</summary>
    [Benchmark]
    public bool Validate() => ListpackValidator.IsSound(new ListpackReader(_data).Bytes, 2);
}

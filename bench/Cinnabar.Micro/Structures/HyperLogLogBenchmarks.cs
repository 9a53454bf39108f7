using System;
using System.Text;
using BenchmarkDotNet.Attributes;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Micro.Structures;

/// <summary>A HyperLogLog with some elements.</summary>
[MemoryDiagnoser]
public class HyperLogLogBenchmarks
{
    private readonly byte[] _value = new byte[HyperLogLog.DenseSize];
    private readonly byte[] _registers = new byte[HyperLogLog.RegisterCount];
    private readonly byte[] _element = Encoding.ASCII.GetBytes("element:1");
    private int _length;

    /// <summary>500 elements are a sparse value, a million a dense one.</summary>
    [Params(500, 1_000_000)]
    public int ElementCount { get; set; }

    /// <summary>Adds the elements.</summary>
    [GlobalSetup]
    public void Setup()
    {
        HyperLogLog.WriteEmpty(_value);
        _length = HyperLogLog.EmptySize;
        for (int index = 0; index < ElementCount; index++)
        {
            byte[] element = Encoding.ASCII.GetBytes($"element:{index}");
            if (Add(element) != RegisterUpdate.NeedsDense) continue;
            byte[] sparse = _value[.._length];
            HyperLogLog.TryWriteDense(sparse, _value);
            _length = HyperLogLog.DenseSize;
            Add(element);
        }
    }

    /// <summary>PFADD of an existing element.</summary>
    [Benchmark]
    public RegisterUpdate AddAgain() => Add(_element);

    /// <summary>PFCOUNT of one key whose count is not known.</summary>
    [Benchmark]
    public ulong Count() => HyperLogLog.TryCount(_value.AsSpan(0, _length), out ulong count) ? count : 0;

    /// <summary>PFMERGE, the part of one source.</summary>
    [Benchmark]
    public bool Merge() => new HyperLogLogUnion(_registers).TryAdd(_value.AsSpan(0, _length));

    private RegisterUpdate Add(byte[] element)
    {
        var editor = new HyperLogLogEditor(_value, _length, sparseSizeMax: 3000);
        RegisterUpdate update = editor.Add(element);
        _length = editor.Length;
        return update;
    }
}

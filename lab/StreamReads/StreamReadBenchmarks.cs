using System;
using System.IO;
using System.Threading.Tasks;
using BenchmarkDotNet.Attributes;
using Cinnabar.Lab.StreamReads.FSharp;

namespace Cinnabar.Lab.StreamReads;

/// <summary>
/// The cost of one read of a memory stream, by the kind of call. As published, the stream is at its end:
/// every read returns 0 bytes, and the figures are those of the call alone. Corrected, the stream is rewound
/// before each read, and the bytes are really copied.
/// </summary>
[MemoryDiagnoser]
public class StreamReadBenchmarks
{
    private MemoryStream _stream = new();
    private byte[] _buffer = [];

    /// <summary>How many bytes the stream and the buffer have.</summary>
    [Params(256, 1024, 4096, 16_384, 65_536)]
    public int Size { get; set; }

    /// <summary>Whether the stream is rewound before each read.</summary>
    [Params(false, true)]
    public bool IsCorrected { get; set; }

    /// <summary>What the last read left.</summary>
    public ReadOnlySpan<byte> Buffer => _buffer;

    /// <summary>Fills the stream with bytes that differ and leaves it at its end, as writing does.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _buffer = new byte[Size];
        _stream = new MemoryStream();
        for (int index = 0; index < Size; index++) _stream.WriteByte((byte)(index % 251 + 1));
    }

    /// <summary>The synchronous read.</summary>
    [Benchmark(Baseline = true)]
    public int Read() => Source().Read(_buffer, 0, _buffer.Length);

    /// <summary>The read that returns a task, which is complete when it returns.</summary>
    [Benchmark]
    public int ReadAsync() => Source().ReadAsync(_buffer, 0, _buffer.Length).Result;

    /// <summary>The same, awaited in an async method.</summary>
    [Benchmark]
    public Task<int> AsyncAwait() => AwaitTaskAsync();

    /// <summary>The read that returns a ValueTask, which allocates nothing when it is complete.</summary>
    [Benchmark]
    public int ReadValueTask()
    {
        ValueTask<int> read = Source().ReadAsync(_buffer.AsMemory());
        return read.IsCompletedSuccessfully ? read.Result : read.AsTask().Result;
    }

    /// <summary>The same, awaited in an async method that returns a ValueTask.</summary>
    [Benchmark]
    public ValueTask<int> AsyncAwaitValueTask() => AwaitValueTaskAsync();

    /// <summary>F#'s AsyncRead, made and never started: it reads nothing.</summary>
    [Benchmark]
    public object FSharpAsyncReadMade() => AsyncReads.Make(Source(), _buffer);

    /// <summary>F#'s AsyncRead in an async computation expression, started and awaited.</summary>
    [Benchmark]
    public Task<int> FSharpAsyncRead() => AsyncReads.ReadAsync(Source(), _buffer);

    private async Task<int> AwaitTaskAsync() => await Source().ReadAsync(_buffer, 0, _buffer.Length);

    private async ValueTask<int> AwaitValueTaskAsync() => await Source().ReadAsync(_buffer.AsMemory());

    private MemoryStream Source()
    {
        if (IsCorrected) _stream.Position = 0;
        return _stream;
    }
}

using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cinnabar.Lab.Pipelines;

/// <summary>A pipe reader over a stream like the framework's, with buffers of the same size, whose source of
/// cancellation tokens is made once with the reader instead of being asked for under a lock at every read.
/// Once cancelled, it stays so.</summary>
internal sealed class OneTokenPipeReader(Stream stream) : PipeReader
{
    private const int BufferSize = 4096;
    private const int ReadSizeMin = 1024;

    private readonly CancellationTokenSource _cancel = new();
    private Segment? _first;
    private Segment? _last;
    private int _firstStart;
    private bool _isExamined = true;
    private bool _isEnded;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
        TryRead(out ReadResult result) ? new ValueTask<ReadResult>(result) : FillAsync();

    public override bool TryRead(out ReadResult result)
    {
        result = Result(isCanceled: false);
        return !_isExamined || _isEnded;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_last is null) return;
        _isExamined = examined.GetObject() == _last && examined.GetInteger() == _last.Size;
        var first = (Segment)consumed.GetObject()!;
        while (_first != first) DropFirst();
        _firstStart = consumed.GetInteger();
        if (_firstStart == first.Size) DropFirst();
    }

    public override void CancelPendingRead() => _cancel.Cancel();

    public override void Complete(Exception? exception = null)
    {
        while (_first is not null) DropFirst();
        _cancel.Dispose();
        stream.Dispose();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> FillAsync()
    {
        if (_last is null || _last.Free.Length < ReadSizeMin) Append();
        try
        {
            int size = await stream.ReadAsync(_last!.Free, _cancel.Token);
            _last.Grow(size);
            _isEnded = size == 0;
        }
        catch (OperationCanceledException)
        {
            return Result(isCanceled: true);
        }

        _isExamined = false;
        return Result(isCanceled: false);
    }

    private ReadResult Result(bool isCanceled) => new(
        _first is null ? default : new ReadOnlySequence<byte>(_first, _firstStart, _last!, _last!.Size),
        isCanceled, _isEnded);

    private void Append()
    {
        var added = new Segment(MemoryPool<byte>.Shared.Rent(BufferSize), _last);
        _first ??= added;
        _last = added;
    }

    private void DropFirst()
    {
        Segment dropped = _first!;
        _first = (Segment?)dropped.Next;
        _firstStart = 0;
        if (_first is null) _last = null;
        dropped.Owner.Dispose();
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(IMemoryOwner<byte> owner, Segment? previous)
        {
            Owner = owner;
            if (previous is null) return;
            RunningIndex = previous.RunningIndex + previous.Size;
            previous.Next = this;
        }

        public IMemoryOwner<byte> Owner { get; }

        public int Size => Memory.Length;

        public Memory<byte> Free => Owner.Memory[Size..];

        public void Grow(int size) => Memory = Owner.Memory[..(Size + size)];
    }
}

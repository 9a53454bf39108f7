// The stream below an SslStream: it reads and writes the buffers of a pipe. A read that finds nothing waits
// until Feed, which runs what follows it inline: so an SslStream makes progress on the thread that brings
// bytes, and only during a call of its engine.
//
// A read never goes beyond the end of a record, so that SslStream keeps no bytes of the next one: what it has
// not taken stays in the pipe, where TlsConnection sees it. A record is a head of five bytes, the last two of
// them the length of the rest.

using System.IO;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>A pipe's buffers as a stream. One thread at a time uses it.</summary>
internal sealed unsafe class EngineStream : Stream, IValueTaskSource<int>
{
    private const int HeadSize = 5;
    private const int LengthPlace = 3;

    private ManualResetValueTaskSourceCore<int> _source;
    private Memory<byte> _waiting;
    private bool _isWaiting;
    private bool _isEnded;
    private int _headCount;
    private int _length;
    private int _recordLeft;

    /// <summary>The buffers in use.</summary>
    public TlsPipe? Pipe { get; set; }

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanWrite => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private bool HasInput => !_isEnded && Pipe!.Buffers->InputLength > 0;

    /// <summary>Gives what has come to the read that waits, and to those that follow it.</summary>
    public void Feed()
    {
        while (_isWaiting && HasInput)
            Complete(Take(_waiting.Span));
    }

    /// <summary>Ends the stream: what waits gets its end, and nothing more is written.</summary>
    public void End()
    {
        _isEnded = true;
        if (_isWaiting)
            Complete(0);
    }

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Debug.Assert(!_isWaiting, "one read at a time");
        if (_isEnded)
            return new ValueTask<int>(0);
        if (HasInput)
            return new ValueTask<int>(Take(buffer.Span));
        _waiting = buffer;
        _isWaiting = true;
        _source.Reset();
        return new ValueTask<int>(this, _source.Version);
    }

    /// <inheritdoc/>
    public override ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (_isEnded)
            return;
        TlsBuffers* buffers = Pipe!.Buffers;
        if (buffer.Length > buffers->OutputSize - buffers->OutputLength)
            throw new IOException("a message of the handshake is too large");
        // SAFETY: there is room for it.
        buffer.CopyTo(new Span<byte>(buffers->Output + buffers->OutputLength, buffer.Length));
        buffers->OutputLength += buffer.Length;
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    int IValueTaskSource<int>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private void Complete(int count)
    {
        _waiting = default;
        _isWaiting = false;
        _source.SetResult(count);
    }

    private int Take(Span<byte> place)
    {
        TlsBuffers* buffers = Pipe!.Buffers;
        int taken = 0;
        while (taken < place.Length && buffers->InputLength > 0 && (taken == 0 || _headCount > 0))
        {
            bool isHead = _headCount < HeadSize;
            int wanted = isHead ? HeadSize - _headCount : _recordLeft;
            int count = Math.Min(Math.Min(wanted, place.Length - taken), buffers->InputLength);
            // SAFETY: the pipe has that many bytes.
            var piece = new ReadOnlySpan<byte>(buffers->Input, count);
            piece.CopyTo(place[taken..]);
            buffers->Input += count;
            buffers->InputLength -= count;
            taken += count;
            if (isHead)
                NoteHead(piece);
            else if ((_recordLeft -= count) == 0)
                _headCount = 0;
        }

        return taken;
    }

    private void NoteHead(ReadOnlySpan<byte> piece)
    {
        foreach (byte one in piece)
        {
            if (_headCount++ >= LengthPlace)
                _length = (_length << 8) | one;
        }

        if (_headCount < HeadSize)
            return;
        _recordLeft = _length;
        _length = 0;
        if (_recordLeft == 0)
            _headCount = 0;
    }
}

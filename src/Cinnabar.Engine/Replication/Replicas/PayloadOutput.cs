using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Data of a full synchronisation as a file that is written once, from its beginning to its
/// end, between the marks that the replicas know.</summary>
/// <param name="payload">Gets the bytes.</param>
/// <param name="mark">The forty letters that follow the last byte.</param>
internal sealed class PayloadOutput(Payload payload, string mark) : StoredFile, ISnapshotTarget
{
    private readonly Payload _payload = payload;
    private readonly string _mark = mark;
    private long _length;
    private bool _isDiscarded;

    /// <inheritdoc/>
    public override long Length => _length;

    /// <inheritdoc/>
    public StoredFile Create()
    {
        _payload.Append(Encoding.ASCII.GetBytes($"$EOF:{_mark}\r\n"));
        return this;
    }

    /// <inheritdoc/>
    public void Commit()
    {
        _payload.Append(Encoding.ASCII.GetBytes(_mark));
        _payload.Complete();
    }

    /// <inheritdoc/>
    public void Discard()
    {
        if (_isDiscarded || _payload.IsWhole)
            return;
        _isDiscarded = true;
        _payload.Fail();
    }

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> bytes)
    {
        _payload.Append(bytes);
        _length += bytes.Length;
    }

    /// <inheritdoc/>
    public override void Flush()
    {
        // There is no disk.
    }

    /// <inheritdoc/>
    public override int Read(long offset, Span<byte> bytes) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long length) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Dispose()
    {
        // The payload belongs to its synchronisation.
    }
}

// A file of data that come once. Its reader goes through it in blocks, and begins a block before the end of
// the one before (RdbBlock), so the bytes of the last block are kept.

using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The data of a full synchronisation as a file that is read once from its beginning to its end,
/// while they come.</summary>
/// <param name="link">Whose master sends them.</param>
/// <param name="connection">The connection to it.</param>
/// <param name="payload">Their frame.</param>
internal sealed unsafe class PayloadFile(
    MasterLink link, MasterConnection connection, PayloadFraming payload) : StoredFile
{
    private readonly MasterLink _link = link;
    private readonly MasterConnection _connection = connection;
    private readonly PayloadFraming _payload = payload;
    private readonly List<byte> _kept = [];

    /// <summary>Bytes of the data; where only their end is marked, more than there are.</summary>
    public override long Length => _payload.IsMarked ? long.MaxValue : _payload.Length;

    /// <summary>Looks at the first bytes, which stay unread.</summary>
    /// <returns>How many there are: fewer than wanted only where there are no more.</returns>
    public int Peek(Span<byte> bytes)
    {
        Debug.Assert(_payload.TakenCount == 0, "the first bytes have been read");
        int count = _payload.IsMarked ? bytes.Length : (int)Math.Min(bytes.Length, _payload.Length);
        while (_connection.HeldCount < count)
            _link.Receive(_connection);
        // SAFETY: as many bytes are held.
        new ReadOnlySpan<byte>(_connection.Held, count).CopyTo(bytes);
        return count;
    }

    /// <inheritdoc/>
    /// <exception cref="LinkException">The connection broke.</exception>
    public override int Read(long offset, Span<byte> bytes)
    {
        long start = _payload.TakenCount - _kept.Count;
        Debug.Assert(offset >= start && offset <= _payload.TakenCount, "what was left behind is gone");
        if (offset == _payload.TakenCount)
        {
            int count = Receive(bytes);
            _kept.AddRange(bytes[..count]);
            return count;
        }

        // A block begins, with what was cut off at the end of the one before.
        _kept.RemoveRange(0, (int)(offset - start));
        ReadOnlySpan<byte> again = CollectionsMarshal.AsSpan(_kept);
        again = again[..Math.Min(again.Length, bytes.Length)];
        again.CopyTo(bytes);
        return again.Length;
    }

    /// <summary>After the last byte was read: takes the mark of the end.</summary>
    /// <exception cref="LinkException">Other bytes stand before it.</exception>
    public void ReadEnd()
    {
        Span<byte> more = stackalloc byte[1];
        if (Receive(more) != 0)
            throw new LinkException("Replication stream EOF marker is broken");
    }

    private int Receive(Span<byte> bytes)
    {
        while (!_payload.IsOver)
        {
            // SAFETY: the held bytes lie in the connection's buffer until they are consumed.
            var held = new ReadOnlySpan<byte>(
                _connection.Held, (int)Math.Min(_connection.HeldCount, int.MaxValue));
            int count = _payload.Take(held, bytes.Length, out int consumedCount);
            held[..count].CopyTo(bytes);
            _connection.Consume(consumedCount);
            if (count > 0)
                return count;
            if (consumedCount == 0)
                _link.Receive(_connection);
        }

        return 0;
    }

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> bytes) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long length) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Flush() => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Dispose()
    {
        // The connection is its owner's.
    }
}

namespace Cinnabar.Transport.InProcess;

/// <summary>Bytes that come in at one end and go out at the other. Not thread-safe.</summary>
public sealed class ByteQueue
{
    private const int KeptCapacityMax = 64 * 1024;

    private byte[] _bytes = [];
    private int _start;
    private int _end;

    /// <summary>Number of bytes.</summary>
    public int Count => _end - _start;

    /// <summary>The bytes; valid until the next change.</summary>
    public ReadOnlySpan<byte> Span => _bytes.AsSpan(_start, Count);

    /// <summary>Appends bytes.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > _bytes.Length - _end)
            MakeRoom(bytes.Length);
        bytes.CopyTo(_bytes.AsSpan(_end));
        _end += bytes.Length;
    }

    /// <summary>Drops bytes from the front.</summary>
    public void RemoveFront(int count)
    {
        _start += count;
        if (_start < _end)
            return;
        _start = _end = 0;
        if (_bytes.Length > KeptCapacityMax)
            _bytes = [];
    }

    private void MakeRoom(int length)
    {
        int count = Count;
        byte[] target = _bytes;
        if (count + length > _bytes.Length || _start < _bytes.Length / 2)
            target = new byte[Math.Max(count + length, (int)Math.Min(2L * _bytes.Length, Array.MaxLength))];
        Span.CopyTo(target);
        _bytes = target;
        _start = 0;
        _end = count;
    }
}

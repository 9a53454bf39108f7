namespace Cinnabar.Lua.Syntax;

/// <summary>Bytes that are collected one by one.</summary>
internal sealed class ByteText
{
    private byte[] _bytes = new byte[64];
    private int _count;

    /// <summary>What was collected.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _count);

    /// <summary>Starts anew.</summary>
    public void Clear() => _count = 0;

    /// <summary>Adds a byte.</summary>
    public void Add(byte value)
    {
        if (_count == _bytes.Length) Array.Resize(ref _bytes, _bytes.Length * 2);
        _bytes[_count++] = value;
    }
}

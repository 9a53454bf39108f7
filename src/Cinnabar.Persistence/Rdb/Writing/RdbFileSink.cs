namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes blocks to a file, and has the disk take them on the way.</summary>
internal sealed class RdbFileSink(StoredFile file, bool isFlushedOnTheWay) : IRdbSink
{
    private const long FlushBytes = 4 << 20;

    private long _unflushed;

    public void Write(ReadOnlySpan<byte> block)
    {
        file.Write(block);
        _unflushed += block.Length;
        if (!isFlushedOnTheWay || _unflushed < FlushBytes)
            return;
        file.Flush();
        _unflushed = 0;
    }
}

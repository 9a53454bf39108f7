namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Where an <see cref="RdbOutput"/> writes its blocks to.</summary>
public interface IRdbSink
{
    /// <summary>Takes bytes, which are valid until the return.</summary>
    void Write(ReadOnlySpan<byte> block);
}

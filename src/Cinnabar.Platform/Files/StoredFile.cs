namespace Cinnabar.Platform.Files;

/// <summary>An open file. One thread at a time, but <see cref="Flush"/>, which may run beside
/// <see cref="Write"/>.</summary>
public abstract class StoredFile : IDisposable
{
    /// <summary>Bytes in the file.</summary>
    public abstract long Length { get; }

    /// <summary>Reads bytes from an offset on.</summary>
    /// <returns>How many: 0 at the end of the file.</returns>
    public abstract int Read(long offset, Span<byte> bytes);

    /// <summary>Writes bytes behind the last. Where it fails, some may have been written:
    /// <see cref="Length"/> says how many.</summary>
    public abstract void Write(ReadOnlySpan<byte> bytes);

    /// <summary>Cuts the file off.</summary>
    public abstract void SetLength(long length);

    /// <summary>Makes what was written survive a power loss: returns when the disk has it.</summary>
    public abstract void Flush();

    /// <summary>Has the system begin to give the disk what was written, so that the next <see cref="Flush"/>
    /// is short; does not wait, promises nothing, and may run beside <see cref="Write"/>.</summary>
    public virtual void BeginFlush()
    {
    }

    /// <summary>Bytes that its disk has room for, as far as that is known; else the most that there
    /// are.</summary>
    public virtual long RoomBytes => long.MaxValue;

    /// <inheritdoc/>
    public abstract void Dispose();
}

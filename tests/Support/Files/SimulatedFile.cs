using System;
using Cinnabar.Platform.Files;

namespace Cinnabar.Tests.Support.Files;

/// <summary>An open file of a simulated file system.</summary>
internal sealed class SimulatedFile(SimulatedFileSystem files, string path, SimulatedContent content)
    : StoredFile
{
    public override long Length => files.LengthOf(content);

    public override int Read(long offset, Span<byte> bytes) => files.ReadAt(content, offset, bytes);

    public override void Write(ReadOnlySpan<byte> bytes) => files.Write(path, content, bytes);

    public override void SetLength(long length) => files.Cut(path, content, length);

    public override void Flush() => files.Flush(path, content);

    public override long RoomBytes => files.Capacity - files.UsedBytes;

    public override void BeginFlush() => files.BegunFlushCount++;

    public override void Dispose()
    {
    }
}

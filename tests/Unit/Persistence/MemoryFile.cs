using System;
using System.IO;
using Cinnabar.Platform.Files;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>A file in memory, to read; it gives at most some bytes at a time.</summary>
internal sealed class MemoryFile(byte[] bytes, int readBytesMax = int.MaxValue) : StoredFile
{
    public override long Length => bytes.Length;

    public override int Read(long offset, Span<byte> target)
    {
        int count = (int)Math.Min(Math.Min(target.Length, readBytesMax), bytes.Length - offset);
        bytes.AsSpan((int)offset, count).CopyTo(target);
        return count;
    }

    public override void Write(ReadOnlySpan<byte> source) => throw new IOException("This file is read.");

    public override void SetLength(long length) => throw new IOException("This file is read.");

    public override void Flush()
    {
    }

    public override void Dispose()
    {
    }
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Cinnabar.Persistence.Journal;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>Keeps what a drain gives it, a file for each switch.</summary>
internal sealed class CollectingSink : IJournalSink
{
    private readonly MemoryStream _file = new();
    private long _offset = -1;

    /// <summary>What each file that a switch has ended has.</summary>
    internal List<byte[]> Files { get; } = [];

    /// <summary>The position of the last drain.</summary>
    internal long Position { get; private set; }

    /// <summary>The last file as text, one char a byte.</summary>
    internal string Text => Encoding.Latin1.GetString(_file.ToArray());

    /// <summary>The bytes of the last file.</summary>
    internal byte[] Bytes => _file.ToArray();

    public bool IsForReplicas { get; init; }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        // What is for replicas only does not count in the offset.
        Assert.True(_offset == -1 || _offset == offset || IsForReplicas, "the stream has no gaps");
        _offset = offset + bytes.Length;
        _file.Write(bytes);
    }

    public void WriteAnnotation(ReadOnlySpan<byte> bytes) => _file.Write(bytes);

    public void Switch(long offset)
    {
        Files.Add(_file.ToArray());
        _file.SetLength(0);
    }

    public void EndDrain(long position)
    {
        Assert.True(position > Position, "a position never goes back");
        Position = position;
    }
}

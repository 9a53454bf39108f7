using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;
using Cinnabar.Tests.Support.Engine;

namespace Cinnabar.Tests.Unit.Engine.Replication;

/// <summary>A feed of texts, each in a block of its own.</summary>
internal sealed unsafe class ListedFeed(TestServer server, Session session) : IOutputFeed
{
    private readonly Queue<OutputSegment> _segments = [];

    /// <inheritdoc/>
    public long WaitingBytes { get; private set; }

    /// <summary>Whether its session has been closed.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>Adds a text, and has the loop send it.</summary>
    public void Add(string text)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        SharedBlock* block = SharedBlock.Create(server.Engine.Chunks, bytes.Length);
        // SAFETY: the block has the room.
        bytes.CopyTo(new Span<byte>(block->Data, bytes.Length));
        _segments.Enqueue(new OutputSegment { Block = block, Data = block->Data, Length = bytes.Length });
        WaitingBytes += bytes.Length;
        Wake();
    }

    /// <inheritdoc/>
    public bool TryTake(out OutputSegment segment)
    {
        if (!_segments.TryDequeue(out segment))
            return false;
        WaitingBytes -= segment.Length;
        return true;
    }

    /// <inheritdoc/>
    public void Wake() => ((Loop)session.Loop).Run(() =>
    {
        if (!session.IsClosed)
            ((Loop)session.Loop).Runner.Feeds.Send(session);
    });

    /// <inheritdoc/>
    public void Close()
    {
        IsClosed = true;
        while (TryTake(out OutputSegment segment))
            segment.Block->Release();
    }
}

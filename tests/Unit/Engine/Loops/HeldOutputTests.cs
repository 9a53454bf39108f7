using System;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>Output that waits for the journal's disk, where the disk comes between two looks at it.</summary>
public sealed unsafe class HeldOutputTests : IDisposable
{
    private const int Length = 7;

    private readonly TestServer _server = TestServer.On(
        new SimulatedFileSystem(), new ManualClock(), ("appendonly", "yes"), ("appendfsync", "always"));
    private readonly Session _session;
    private readonly Loop _loop;
    private readonly long _position;

    public HeldOutputTests()
    {
        _server.Engine.Loading.Prepare();
        _server.Engine.Loading.Begin(Assert.Null);
        TestClient writer = _server.Connect();
        TestClient client = _server.Connect();
        _server.Run();
        writer.Send("SET", "key", "value");
        _server.Run();
        Assert.Equal("", writer.Shown());
        _session = client.Session!;
        _loop = client.Loop;
        _position = _server.Engine.Data.Journal.Settle();
        Assert.True(_position > _server.Engine.Data.Journal.DurablePosition);
    }

    public void Dispose() => _server.Dispose();

    /// <summary>The file becomes durable between a look that frees nothing and the note that the session
    /// waits, while the list is walked: the session must stay in it.</summary>
    [Fact]
    public void WhatBecomesDurableDuringAReleaseIsSentByTheNext()
    {
        int count = 0;
        HeldOutput held = null!;
        held = new HeldOutput(_loop, session =>
        {
            if (++count == 1)
            {
                _server.Engine.Data.Journal.Step();
                Assert.Equal(_position, _server.Engine.Data.Journal.DurablePosition);
                held.Add(session);
                return;
            }

            Assert.Equal(session.Unsent!.ByteCount, held.FreeBytes(session.Unsent));
            session.Unsent.Clear();
            session.Unsent = null;
        });
        Wait(held, _server, _session, _position);
        held.Advance();
        _server.Run();
        Assert.Equal(2, count);
        Assert.Null(_session.Unsent);
    }

    /// <summary>A session whose output a later reply took along may be another loop's by now.</summary>
    [Fact]
    public void ASessionOfAnotherLoopIsLeftAlone()
    {
        using var server = new TestServer(loopCount: 2);
        Session session = server.Connect(0).Session!;
        server.Run();
        var held = new HeldOutput(
            server.Engine.Loops[1], static _ => Assert.Fail("the output of another loop's session"));
        Wait(held, server, session, position: 1);
        held.Advance();
        server.Run();
        session.Unsent!.Clear();
        session.Unsent = null;
    }

    private static void Wait(HeldOutput held, TestServer server, Session session, long position)
    {
        OutputQueue queue = UnsentOutput.QueueOf(session, server.Engine);
        SharedBlock* block = SharedBlock.Create(server.Engine.Chunks, Length);
        // SAFETY: the block has the room.
        new Span<byte>(block->Data, Length).Fill((byte)'x');
        queue.Append(new OutputSegment { Block = block, Data = block->Data, Length = Length });
        held.Hold(session, position);
    }
}

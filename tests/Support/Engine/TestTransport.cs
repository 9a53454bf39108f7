using System;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>A transport without sockets: a session's bytes go to its <see cref="TestClient"/>.</summary>
public sealed unsafe class TestTransport : LoopTransport
{
    /// <inheritdoc/>
    public override long Send(Session session, OutputSegment* segments, int count)
    {
        TestClient client = ClientOf(session);
        if (client.IsBroken)
            return SendFailed;
        if (client.HoldsSends)
        {
            client.Hold(new ReadOnlySpan<OutputSegment>(segments, count));
            return SendPending;
        }

        long total = 0;
        for (int index = 0; index < count; index++)
        {
            // SAFETY: a segment's bytes live until they are reported as sent.
            var bytes = new ReadOnlySpan<byte>(segments[index].Data, checked((int)segments[index].Length));
            int taken = client.TakeOutput(bytes);
            total += taken;
            if (taken < bytes.Length)
                break;
        }

        return total;
    }

    /// <inheritdoc/>
    public override void SetReading(Session session, bool isReading) =>
        ClientOf(session).IsReading = isReading;

    /// <inheritdoc/>
    public override void Close(Session session) => ClientOf(session).IsClosed = true;

    /// <inheritdoc/>
    public override bool TryRelease(Session session) => ClientOf(session).IsReading;

    /// <inheritdoc/>
    public override void Adopt(Session session)
    {
        // The session has its client.
    }

    /// <inheritdoc/>
    public override void WakeUp()
    {
        // The server runs its loops until none has anything to do.
    }

    private static TestClient ClientOf(Session session) => (TestClient)session.TransportState!;
}

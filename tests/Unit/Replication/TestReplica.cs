using System;
using System.Globalization;
using Cinnabar.Tests.Support.Engine;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>What a server sees of a replica: a session that asks for its stream and acknowledges.</summary>
/// <param name="server">The master.</param>
/// <param name="port">The port that the replica tells.</param>
/// <param name="loop">The loop of its session.</param>
internal sealed class TestReplica(TestServer server, int port = 7000, int loop = 0)
{
    /// <summary>The session's far end.</summary>
    public TestClient Client { get; } = server.Connect(loop);

    /// <summary>The offset behind the data that it got.</summary>
    public long Offset { get; private set; }

    /// <summary>Asks for all data and takes them; the stream begins with the first
    /// acknowledgement.</summary>
    /// <param name="server">The master.</param>
    /// <param name="port">The port that the replica tells.</param>
    /// <param name="loop">The loop of its session.</param>
    public static TestReplica Synchronised(TestServer server, int port = 7000, int loop = 0)
    {
        var replica = new TestReplica(server, port, loop);
        replica.Announce();
        replica.Client.Send("PSYNC", "?", "-1");
        server.Run();
        string answer = replica.Client.TakeRaw();
        string[] words = answer[..answer.IndexOf('\r', StringComparison.Ordinal)].Split(' ');
        if (words[0] != "+FULLRESYNC" || !answer.Contains("$EOF:", StringComparison.Ordinal))
            throw new InvalidOperationException($"no full synchronisation: {answer}");
        replica.Offset = long.Parse(words[2], CultureInfo.InvariantCulture);
        return replica;
    }

    /// <summary>As <see cref="Synchronised"/>, and gets the stream.</summary>
    /// <param name="server">The master.</param>
    /// <param name="port">The port that the replica tells.</param>
    /// <param name="loop">The loop of its session.</param>
    public static TestReplica Online(TestServer server, int port = 7000, int loop = 0)
    {
        TestReplica replica = Synchronised(server, port, loop);
        replica.Acknowledge(replica.Offset);
        return replica;
    }

    /// <summary>Tells what it is.</summary>
    public void Announce() => Client.Run($"REPLCONF listening-port {port} capa eof capa psync2");

    /// <summary>Tells how far it is.</summary>
    /// <param name="offset">Bytes that it has applied.</param>
    /// <param name="durableOffset">Those on its disk; −1: it does not tell.</param>
    public void Acknowledge(long offset, long durableOffset = -1)
    {
        if (durableOffset < 0)
            Client.Send("REPLCONF", "ACK", $"{offset}");
        else
            Client.Send("REPLCONF", "ACK", $"{offset}", "FACK", $"{durableOffset}");
        server.Run();
    }

    /// <summary>What it has got of the stream since the last look; the offset goes behind it.</summary>
    public string TakeStream()
    {
        server.Run();
        string bytes = Client.TakeRaw();
        Offset += bytes.Length;
        return bytes;
    }
}

using System.Collections.Generic;
using Cinnabar.Engine.Loops;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Engine.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>
/// A set of thousands of pages goes, in each of the ways there are, under a clock that goes on by 50 us with
/// each look at it: so a slice of housekeeping ends after as many looks, whatever the machine does.
/// </summary>
public sealed class HugeSetTests
{
    private const int MemberCount = 100_000;
    private const int MembersPerCommand = 1000;
    private const long StepUs = 50;

    // 50 us a turn, a look a portion, and one more portion that ends the slice. A portion is 8 pages and what
    // a subtree that is freed at once has more, at a kilobyte a page.
    private const long FreedPerTurnMax = ((50 / StepUs) + 1) * (8 + (TreeSource.FreedAtOnceBytesMax / 1024));

    [Theory]
    [InlineData("DEL", "set")]
    [InlineData("UNLINK", "set")]
    [InlineData("PEXPIRE", "set", "1")]
    [InlineData("FLUSHALL")]
    public void AHugeSetIsFreedInSlicesBetweenTheCommands(params string[] command)
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        Fill(server, client);
        TreeSource trees = server.Engine.Keyspace.Trees;
        long blockCount = trees.BlockCount;
        Assert.True(blockCount > 10 * FreedPerTurnMax / 3, $"{blockCount} blocks");

        clock.StepUs = StepUs;
        client.Send(command);
        server.Turn();
        clock.Advance(1000);
        int turnCount = 0;
        for (; trees.BlockCount > 0; turnCount++)
        {
            Assert.InRange(turnCount, 0, MemberCount);
            other.Send("EXISTS", "set");
            blockCount = trees.BlockCount;
            server.Turn();
            Assert.Equal(":0", other.Shown());
            Assert.InRange(blockCount - trees.BlockCount, 0, FreedPerTurnMax);
            Loop loop = server.Engine.Loops[0];
            int waitMs = loop.BeginWait();
            loop.EndWait();
            Assert.True(!trees.HasGarbage || waitMs == 0, $"the loop would sleep for {waitMs} ms");
        }
    }

    private static void Fill(TestServer server, TestClient client)
    {
        var command = new List<string>();
        for (int first = 0; first < MemberCount; first += MembersPerCommand)
        {
            command.Clear();
            command.AddRange(["SADD", "set"]);
            for (int number = first; number < first + MembersPerCommand; number++)
                command.Add($"member:{number:D12}");
            client.Send([.. command]);
            server.Run();
            Assert.Equal($":{MembersPerCommand}", client.Shown());
        }
    }
}

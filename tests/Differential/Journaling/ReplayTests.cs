using System;
using System.Collections.Generic;
using System.Globalization;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>
/// What a replay makes of the record of random commands is what the server has that recorded them: several
/// loops, clients that wait, transactions, keys and fields that end while the commands run. Both servers are
/// in this process, under one clock that the test moves: of a program's keys some would end between the two
/// looks.
/// </summary>
public sealed class ReplayTests
{
    private const int CommandsPerCheckpoint = 1500;
    private const int CheckpointCount = 3;
    private const int LinesPerCheckpointMin = 10;

    private static int Rounds =>
        Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS") is { Length: > 0 } seconds
            ? Math.Max(1, (int)double.Parse(seconds, CultureInfo.InvariantCulture))
            : 1;

    [Theory]
    [InlineData(CommandLevel.Newest)]
    [InlineData(CommandLevel.Redis74)]
    [InlineData(CommandLevel.Redis72)]
    [InlineData(CommandLevel.Redis70)]
    [InlineData(CommandLevel.Redis62)]
    public void TheReplayOfARecordGivesTheSameData(CommandLevel level) =>
        Seeded.Run(Rounds, seed => Compare(new Random((int)seed), level));

    private static void Compare(Random random, CommandLevel level)
    {
        using var recorded = new RecordedServer(random, level);
        var stream = new EffectStream(random, words => recorded.Probe.Call(words));
        int lineCount = 0;
        for (int checkpoint = 0; checkpoint < CheckpointCount; checkpoint++)
        {
            for (int count = 0; count < CommandsPerCheckpoint; count++)
                recorded.Send(stream.Next());
            recorded.Settle();
            lineCount += CompareData(
                recorded, level == CommandLevel.Newest ? DataDetail.Whole : DataDetail.Older);
        }

        Assert.True(lineCount > LinesPerCheckpointMin * CheckpointCount, "the commands leave data behind");
    }

    private static int CompareData(RecordedServer recorded, DataDetail detail)
    {
        List<string> expected = DataText.Of(words => recorded.Probe.Call(words), detail);
        using TestServer other = recorded.Replay(out long errorCount);
        TestClient client = other.Connect();
        Assert.Equal(expected, DataText.Of(words => client.Call(words), detail));
        Assert.True(errorCount == 0, string.Join('\n', other.Log.Lines));
        return expected.Count;
    }
}

using Cinnabar.Replication;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>The names of a stream: which past a server shares with another.</summary>
public sealed class ReplicationHistoryTests
{
    private static readonly string s_first = new('a', ReplicationHistory.IdLength);
    private static readonly string s_second = new('b', ReplicationHistory.IdLength);
    private static readonly string s_third = new('c', ReplicationHistory.IdLength);

    [Fact]
    public void APromotionKeepsTheNameOfThePast()
    {
        var history = new ReplicationHistory(s_first);
        history.Advance(100);
        history.Shift(s_second);
        Assert.Equal((s_second, s_first, 101), (history.Id, history.SecondId, history.SecondOffset));
        history.Advance(50);
        Assert.True(history.Covers(s_first, 101));
        Assert.False(history.Covers(s_first, 102));
        Assert.True(history.Covers(s_second, 151));
        Assert.False(history.Covers(s_third, 1));
    }

    [Fact]
    public void ASecondPromotionForgetsTheFirstName()
    {
        var history = new ReplicationHistory(s_first);
        history.Shift(s_second);
        history.Shift(s_third);
        Assert.False(history.Covers(s_first, 1));
        Assert.True(history.Covers(s_second, 1));
    }

    [Fact]
    public void AFullSynchronisationTakesTheMastersPlace()
    {
        var history = new ReplicationHistory(s_first);
        history.Shift(s_second);
        history.Adopt(s_third, 7000);
        Assert.Equal((s_third, 7000, -1), (history.Id, history.Offset, history.SecondOffset));
        Assert.Equal(ReplicationHistory.NoId, history.SecondId);
        Assert.False(history.Covers(ReplicationHistory.NoId, 1));
        Assert.False(history.Covers(s_first, 1));
    }

    [Fact]
    public void StoredDataGoOnWithTheStreamTheyCameOutOf()
    {
        var history = new ReplicationHistory(s_first);
        history.Resume(s_second, 500);
        Assert.True(history.Covers(s_second, 501));
        Assert.False(history.Covers(s_second, 502));
        Assert.Equal(500, history.Offset);
        history.Rename(s_third);
        Assert.False(history.Covers(s_second, 1));
    }

    [Fact]
    public void NamesAreComparedInAnyCase()
    {
        var history = new ReplicationHistory(s_first);
        Assert.True(history.Covers(s_first.ToUpperInvariant(), 1));
    }
}

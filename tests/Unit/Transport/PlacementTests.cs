using Cinnabar.Transport.Placing;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Which loop connections belong to, by how busy the loops are.</summary>
public sealed class PlacementTests
{
    private const int LoopCount = 3;

    private readonly Placement _placement = new(LoopCount, isAlwaysSpread: false);
    private long _nowTicks;

    [Fact]
    public void AllAreOnTheFirstLoopWhileItHasTime()
    {
        for (int period = 0; period < 100; period++)
        {
            Pass(0.8, 0, 0);
            Assert.Equal(0, _placement.PlaceNew());
            Assert.Equal(0, _placement.ShareToGive(0, _nowTicks, out _));
        }
    }

    [Fact]
    public void ALoopThatOneSessionKeepsBusyIsEnough()
    {
        for (int period = 0; period < 100; period++)
        {
            _nowTicks += _placement.PeriodTicks;
            _placement.Report(0, 1, isDivisible: false, _nowTicks);
            Assert.Equal(0, _placement.PlaceNew());
        }
    }

    [Fact]
    public void ABusyLoopGivesHalfOfItsSessionsToOneThatIsIdle()
    {
        Pass(1, 0.2, 0);
        Assert.Equal(0.5, _placement.ShareToGive(0, _nowTicks, out int target));
        Assert.Equal(2, target);
        Assert.Equal(0, _placement.ShareToGive(1, _nowTicks, out _));
        int[] placed = new int[LoopCount];
        for (int count = 0; count < 30; count++)
            placed[_placement.PlaceNew()]++;
        Assert.Equal([10, 10, 10], placed);
    }

    [Fact]
    public void LoopsThatAreBusyAlikeGiveNothing()
    {
        Pass(1, 0.9, 0.8);
        for (int loop = 0; loop < LoopCount; loop++)
            Assert.Equal(0, _placement.ShareToGive(loop, _nowTicks, out _));
    }

    [Fact]
    public void OneThatIsBusierThanAnotherIsLeftAloneWhileItHasTime()
    {
        Pass(1, 0, 0);
        Pass(0.8, 0.1, 0.1);
        for (int loop = 0; loop < LoopCount; loop++)
            Assert.Equal(0, _placement.ShareToGive(loop, _nowTicks, out _));
        Assert.True(_placement.IsSpread);
    }

    [Fact]
    public void WhatFitsOneLoopComesBackToTheFirst()
    {
        Pass(1, 0, 0);
        for (int period = 0; period < 100; period++)
            Pass(0.4, 0.4, 0.4);
        for (int period = 0; period < 3; period++)
            Pass(0.1, 0.2, 0.1);
        Assert.True(_placement.IsSpread);
        Pass(0.1, 0.2, 0.1);
        Assert.False(_placement.IsSpread);
        Assert.Equal(0, _placement.ShareToGive(0, _nowTicks, out _));
        Assert.Equal(1, _placement.ShareToGive(1, _nowTicks, out int target));
        Assert.Equal(0, target);
        Assert.Equal(0, _placement.PlaceNew());
    }

    [Fact]
    public void ALoopThatReportsNothingSleeps()
    {
        Pass(1, 1, 1);
        _nowTicks += 3 * _placement.PeriodTicks;
        _placement.Report(0, 0.2, isDivisible: true, _nowTicks);
        Assert.False(_placement.IsSpread);
    }

    [Fact]
    public void OneLoopIsNeverSpread()
    {
        var placement = new Placement(1, isAlwaysSpread: false);
        placement.Report(0, 1, isDivisible: true, 0);
        Assert.Equal(0, placement.ShareToGive(0, 0, out _));
        Assert.Equal(0, placement.PlaceNew());
    }

    [Fact]
    public void AllLoopsGetConnectionsAtOnceWhereThatIsWanted()
    {
        var placement = new Placement(LoopCount, isAlwaysSpread: true);
        placement.Report(0, 0, isDivisible: true, 0);
        Assert.Equal([0, 1, 2, 0],
            new[] { placement.PlaceNew(), placement.PlaceNew(), placement.PlaceNew(), placement.PlaceNew() });
        Assert.Equal(0, placement.ShareToGive(1, 0, out _));
    }

    private void Pass(params double[] loads)
    {
        _nowTicks += _placement.PeriodTicks;
        for (int loop = 0; loop < LoopCount; loop++)
            _placement.Report(loop, loads[loop], isDivisible: true, _nowTicks);
    }
}

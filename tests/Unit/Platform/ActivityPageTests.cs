using System.Collections.Generic;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>The rows of a report of a crash.</summary>
public sealed unsafe class ActivityPageTests
{
    [Fact]
    public void EachThreadOfTheLaneHasARowUntilNoneIsLeft()
    {
        ActivityPage page = new(loopCount: 3);
        int laneCount = page.RowCount - 3;
        List<nint> rows = [];
        for (int count = 0; count < laneCount; count++)
            rows.Add((nint)page.TakeLane());
        Assert.Equal(laneCount, new HashSet<nint>(rows).Count);
        for (int index = 0; index < page.RowCount; index++)
            Assert.Equal(index < 3 ? 1 : 2, page.Rows[index].Kind);
        // Those that find none free share a row that no report has.
        Assert.True(page.Rows + page.RowCount == page.TakeLane());
        Assert.True(page.Rows + page.RowCount == page.TakeLane());
        page.ReturnLane(page.Rows + page.RowCount);
        page.ReturnLane((ActivityRow*)rows[1]);
        Assert.Equal(rows[1], (nint)page.TakeLane());
        page.ReturnLane((ActivityRow*)rows[0]);
        Assert.Equal(0, ((ActivityRow*)rows[0])->Kind);
    }

    [Fact]
    public void ARowIsACacheLine()
    {
        ActivityPage page = new(loopCount: 2);
        Assert.Equal(64, sizeof(ActivityRow));
        Assert.Equal(0, (nint)page.OfLoop(0) % 64);
        Assert.True(page.OfLoop(1) == page.OfLoop(0) + 1);
        page.TakeLoop(1);
        Assert.NotEqual(0, page.OfLoop(1)->Thread);
        Assert.Equal(0, page.OfLoop(0)->Thread);
    }
}

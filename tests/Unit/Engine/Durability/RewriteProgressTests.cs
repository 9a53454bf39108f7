using Cinnabar.Engine.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

public sealed class RewriteProgressTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void BaseAndSwitchEndInEitherOrder(bool isBaseFirst)
    {
        var progress = new RewriteProgress();
        Assert.False(progress.IsUnderWay);
        progress.Begin(hasSwitch: true);
        Assert.Equal(RewritePhase.BaseAndSwitch, progress.Phase);
        if (isBaseFirst)
            progress.EndBase(isWritten: true);
        else
            progress.EndSwitch(isDone: true);
        Assert.Equal(isBaseFirst ? RewritePhase.Switch : RewritePhase.Base, progress.Phase);
        Assert.Equal((!isBaseFirst, isBaseFirst), (progress.IsBaseAwaited, progress.IsSwitchAwaited));
        if (isBaseFirst)
            progress.EndSwitch(isDone: true);
        else
            progress.EndBase(isWritten: true);
        Assert.Equal(RewritePhase.Complete, progress.Phase);
        Assert.False(progress.HasFailed);
        progress.End();
        Assert.False(progress.IsUnderWay);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(false, false)]
    public void WhereEitherFailsItHasFailedUntilTheNextBegins(bool isWritten, bool isSwitched)
    {
        var progress = new RewriteProgress();
        progress.Begin(hasSwitch: true);
        progress.Kill();
        progress.EndSwitch(isSwitched);
        progress.EndBase(isWritten);
        Assert.Equal((true, true), (progress.HasFailed, progress.IsKilled));
        progress.End();
        progress.Begin(hasSwitch: false);
        Assert.Equal((false, false), (progress.HasFailed, progress.IsKilled));
        Assert.Equal(RewritePhase.Base, progress.Phase);
        progress.EndBase(isWritten: true);
        Assert.Equal(RewritePhase.Complete, progress.Phase);
    }
}

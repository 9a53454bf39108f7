using Cinnabar.Engine.Statistics;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>The states of an import.</summary>
public sealed class ImportProgressTests
{
    private readonly ImportProgress _progress = new("127.0.0.1:1");

    [Fact]
    public void ItIsFinishedAfterTheOperatorHasEndedIt()
    {
        Assert.Equal(ImportState.Connecting, _progress.State);
        _progress.BeginFinishing();
        Assert.Equal(ImportState.Finishing, _progress.State);
        _progress.End(ImportState.Finished);
        _progress.BeginFinishing();
        Assert.Equal(ImportState.Finished, _progress.State);
    }

    /// <summary>It has become a replica, and then the operator sets <c>import-mode</c> to no.</summary>
    [Fact]
    public void OneThatHasEndedByItselfDoesNotBeginToFinish()
    {
        _progress.End(ImportState.Incomplete);
        _progress.BeginFinishing();
        Assert.Equal(ImportState.Incomplete, _progress.State);
    }
}

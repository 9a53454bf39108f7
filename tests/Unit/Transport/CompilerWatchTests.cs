using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

public sealed class CompilerWatchTests
{
    private static readonly long s_ms = BriefPolling.TicksOf(microseconds: 1000);
    private readonly CompilerWatch _watch;
    private long _count;
    private int _beginCount;

    public CompilerWatchTests() => _watch = new CompilerWatch(() => _count, () => _beginCount++);

    [Fact]
    public void WhoCompiledLatelyCompiles()
    {
        Assert.False(_watch.IsCompiling(0));
        _count++;
        Assert.True(_watch.IsCompiling(1000 * s_ms));
        Assert.True(_watch.IsCompiling(1019 * s_ms));
        Assert.False(_watch.IsCompiling(1020 * s_ms));
        // However long ago it was asked, it may have been just now.
        _count++;
        Assert.True(_watch.IsCompiling(1500 * s_ms));
    }

    [Fact]
    public void ABeginningIsToldOnceUntilASecondHasPassedWithout()
    {
        _watch.IsCompiling(0);
        Assert.Equal(0, _beginCount);
        for (int ms = 0; ms < 5000; ms += 500)
        {
            _count++;
            _watch.IsCompiling(ms * s_ms);
            Assert.Equal(1, _beginCount);
        }
        _watch.IsCompiling(5499 * s_ms);
        _count++;
        _watch.IsCompiling(5500 * s_ms);
        Assert.Equal(2, _beginCount);
    }
}

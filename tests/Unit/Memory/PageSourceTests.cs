using System;
using Cinnabar.Memory;
using Cinnabar.Tests.Unit.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class PageSourceTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RegionsAskForHugePagesOnlyOnRequest(bool wantsHugePages)
    {
        using PageSource pages = new(isChecked: false, wantsHugePages);
        using Arena arena = new(pages, "test");
        string[] flags = Mappings.FlagsOf(arena.Allocate(100));
        Assert.SkipUnless(flags.Length > 0, "the system does not show a mapping's flags");
        Assert.Equal(wantsHugePages, flags.AsSpan().Contains("hg"));
    }
}

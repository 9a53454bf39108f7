using System;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Listpacks;

public sealed class ListpackValidatorTests
{
    [Theory]
    [InlineData("")]
    [InlineData("0700000000")]
    [InlineData("070000000000")]
    [InlineData("080000000000ff")]            // says more bytes than there are
    [InlineData("060000000000ff")]            // says fewer
    [InlineData("07000000000000")]            // no terminator
    [InlineData("070000000100ff")]            // an entry that is not there
    [InlineData("0900000000000501ff")]        // an entry too many
    [InlineData("0900000001000502ff")]        // a wrong back length
    [InlineData("0900000001000581ff")]        // a back length that goes on
    [InlineData("080000000100ffff")]          // a terminator too early
    [InlineData("080000000100f1ff")]          // an integer that ends behind the terminator
    [InlineData("0900000001008101ff")]        // a text that does
    [InlineData("080000000100e0ff")]          // half a length
    [InlineData("0a0000000100f0ffffff")]      // half a length of 32 bits
    [InlineData("0d0000000100f0ffffffff01ff")] // a text of 4 GiB
    [InlineData("090000000100f501ff")]        // no encoding
    public void InvalidBytesAreRefused(string hex)
        => Assert.False(ListpackValidator.IsSound(Convert.FromHexString(hex)));

    [Fact]
    public void TheCountMustBeOfWholeGroups()
    {
        using var pack = new ListpackMemory("a", "1", "b");
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes, 3));
        Assert.False(ListpackValidator.IsSound(pack.Reader.Bytes, 2));
    }
}

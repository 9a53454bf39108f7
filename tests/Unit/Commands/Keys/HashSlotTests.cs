using System.Text;
using Cinnabar.Keyspace;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

public sealed class HashSlotTests
{
    // The check value of CRC16 XMODEM is 0x31C3 for 123456789; the others follow from the specification.
    [Theory]
    [InlineData("", 0)]
    [InlineData("123456789", 0x31C3)]
    [InlineData("foo", 12_182)]
    [InlineData("{foo}bar", 12_182)]
    [InlineData("a{foo}{bar}", 12_182)]
    [InlineData("a{foo}}", 12_182)]
    [InlineData("foo{}{bar}", 8_363)]
    [InlineData("foo{{bar}}zap", 4_015)]
    public void AKeyHasTheSlotOfItsTag(string key, int slot) =>
        Assert.Equal(slot, HashSlot.Of(Encoding.UTF8.GetBytes(key)));

    [Theory]
    [InlineData("foo{bar", "}foo{bar")]
    [InlineData("foo{}bar", "foo{")]
    public void WhereThereIsNoTagAllBytesCount(string key, string other) =>
        Assert.NotEqual(HashSlot.Of(Encoding.UTF8.GetBytes(key)), HashSlot.Of(Encoding.UTF8.GetBytes(other)));
}

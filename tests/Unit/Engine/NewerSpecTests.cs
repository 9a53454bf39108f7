using System.Text;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Rules;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>What Redis 8 says of the commands on collections that the tests' oracle does not know. (Pages of
/// the documentation still have HEXPIRE and its kin need memory, as in 7.4.)</summary>
public sealed class NewerSpecTests
{
    private const CommandFlags Writes = CommandFlags.Write | CommandFlags.Fast;
    private const CommandFlags NeedsMemory = Writes | CommandFlags.DenyOom;
    private const CommandFlags Reads = CommandFlags.ReadOnly | CommandFlags.Fast;
    private const KeySpecFlags Updates = KeySpecFlags.RW | KeySpecFlags.Update;
    private const KeySpecFlags Looks = KeySpecFlags.RO | KeySpecFlags.Access;

    [Theory]
    [InlineData("hexpire", -6, Writes, Updates)]
    [InlineData("hexpireat", -6, Writes, Updates)]
    [InlineData("hpexpire", -6, Writes, Updates)]
    [InlineData("hpexpireat", -6, Writes, Updates)]
    [InlineData("hsetex", -6, NeedsMemory, Updates)]
    [InlineData("hgetex", -5, Writes, Updates | KeySpecFlags.Access)]
    [InlineData("hgetdel", -5, Writes, KeySpecFlags.RW | KeySpecFlags.Access | KeySpecFlags.Delete)]
    [InlineData("hpersist", -5, Writes, Updates)]
    [InlineData("httl", -5, Reads, Looks)]
    [InlineData("hpttl", -5, Reads, Looks)]
    [InlineData("hexpiretime", -5, Reads, Looks)]
    [InlineData("hpexpiretime", -5, Reads, Looks)]
    [InlineData("xackdel", -6, Writes, Updates | KeySpecFlags.Delete)]
    [InlineData("xdelex", -5, Writes, KeySpecFlags.RW | KeySpecFlags.Delete)]
    [InlineData("xcfgset", -2, Writes, Updates)]
    public void ACommandIsAsDocumented(string name, int arity, CommandFlags flags, KeySpecFlags keyFlags)
    {
        CommandSpec spec = new CommandTable().Find(Encoding.ASCII.GetBytes(name))!;
        Assert.Equal((arity, flags), (spec.Arity, spec.Flags));
        KeySpec keys = Assert.Single(spec.KeySpecs.ToArray());
        Assert.Equal((keyFlags, KeyBegin.Index, 1), (keys.Flags, keys.Begin, keys.BeginPosition));
        AclCategories kind = name[0] == 'h' ? AclCategories.Hash : AclCategories.Stream;
        AclCategories access = flags == Reads ? AclCategories.Read : AclCategories.Write;
        Assert.Equal(kind | access | AclCategories.Fast, spec.Categories);
    }
}

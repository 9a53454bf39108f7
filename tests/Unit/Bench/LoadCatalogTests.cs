using System.Collections.Generic;
using System.Linq;
using Cinnabar.Bench.Suites.Commands;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class LoadCatalogTests
{
    [Fact]
    public void EveryCommandIsMeasuredOrLeftOutForAReason()
    {
        var measured = Loads().Select(load => load.Command).ToList();
        Assert.Equal(measured.Distinct(), measured);
        var unused = LoadCatalog.LeftOut.Keys.ToHashSet();
        foreach (string name in Names())
        {
            var reasons = new[] { name, $"{name.Split('|')[0]}|*", $"*|{name.Split('|')[^1]}" }
                .Where(LoadCatalog.LeftOut.ContainsKey).ToList();
            unused.ExceptWith(reasons);
            Assert.True(measured.Contains(name) != reasons.Count > 0,
                $"{name} is either measured or left out for a reason");
        }

        Assert.Empty(unused);
        Assert.Empty(measured.Except(Names()));
    }

    [Fact]
    public void ARoundSendsItsOwnCommand()
    {
        foreach (CommandLoad load in Loads())
        {
            string[] words = load.Command.Split('|');
            Assert.Contains(load.Templates(), request => words.SequenceEqual(
                request.Words.Take(words.Length).Select(word => word.ToLowerInvariant())));
        }
    }

    [Fact]
    public void ARequestCanStandForSeveral()
    {
        var load = new CommandLoad("lpop", "RPUSH q a b", "2 * LPOP q", "GET 2 * x");
        Assert.Equal(["RPUSH q a b", "LPOP q", "LPOP q", "GET 2 * x"],
            load.Templates().Select(request => string.Join(' ', request.Words)));
        Assert.Equal("CLIENT ID", new CommandLoad("client|id", "CLIENT ID").Name);
    }

    private static IEnumerable<CommandLoad> Loads() =>
        LoadCatalog.Families.SelectMany(family => family.Loads);

    // A container without a handler of its own cannot be measured.
    private static IEnumerable<string> Names() => Enumerable.Range(1, CommandTable.IdCount - 1)
        .Select(id => CommandTable.Get((CommandId)id)).Where(spec => spec.HandlerAddress != 0)
        .Select(spec => spec.Name);
}

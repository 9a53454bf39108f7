using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>What HELP of the containers says.</summary>
public sealed class HelpTests
{
    [Fact]
    public void HelpNamesEverySubcommand()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        ILookup<string, string> subcommands = client.Call("COMMAND", "LIST").Items
            .Select(static name => name.Text.Split('|')).Where(static parts => parts.Length == 2)
            .ToLookup(static parts => parts[0], static parts => parts[1].ToUpperInvariant());
        List<string> missing = [];
        int containerCount = 0;
        foreach (IGrouping<string, string> container in subcommands)
        {
            RespValue help = client.Call(container.Key, "HELP");
            // CLUSTER of a server alone refuses all of its own.
            if (help.Kind != '*')
                continue;
            containerCount++;
            string head = $"{container.Key.ToUpperInvariant()} <subcommand> [<arg> [value] [opt] ...]. "
                + "Subcommands are:";
            Assert.Equal(head, help.Items[0].Text);
            Assert.Equal("HELP", help.Items[^2].Text);
            string[] shown = [.. help.Items.Select(static line => line.Text.Split(' ')[0])];
            missing.AddRange(container.Except(shown).Select(name => $"{container.Key} {name}"));
        }

        Assert.Equal("    Prints this help.", client.Call("OBJECT", "HELP").Items[14].Text);
        Assert.Empty(missing);
        Assert.True(containerCount >= 12, $"only {containerCount} containers have a HELP");
    }
}

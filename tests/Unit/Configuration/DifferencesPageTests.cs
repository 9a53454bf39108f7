using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Cinnabar.Engine.Configuration.Catalog;
using Cinnabar.Engine.Configuration.Directives;
using Xunit;

namespace Cinnabar.Tests.Unit.Configuration;

/// <summary>docs/differences.md describes every directive correctly.</summary>
public sealed class DifferencesPageTests
{
    [Theory]
    [InlineData(DirectiveSupport.Refused)]
    [InlineData(DirectiveSupport.NoEffectYet)]
    [InlineData(DirectiveSupport.NeverMeaningful)]
    public void NamesEveryDirectiveThatDoesNotWork(DirectiveSupport support)
    {
        string page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "differences.md"));
        string table = TableOf(support);
        Assert.True(
            page.Contains(table, StringComparison.Ordinal),
                $"docs/differences.md must have this table:\n{table}");
    }

    private static string TableOf(DirectiveSupport support)
    {
        List<string> reasons = [];
        Dictionary<string, List<string>> names = [];
        foreach (Directive directive in ConfigurationCatalog.Create())
        {
            if (directive.Support != support)
                continue;
            if (!names.TryGetValue(directive.Reason, out List<string>? own))
            {
                names.Add(directive.Reason, own = []);
                reasons.Add(directive.Reason);
            }
            own.Add($"`{directive.Name}`");
        }
        StringBuilder table = new("| why | directives |\n|---|---|\n");
        foreach (string reason in reasons)
            table.Append($"| {reason} | {string.Join(", ", names[reason])} |\n");
        return table.ToString();
    }
}

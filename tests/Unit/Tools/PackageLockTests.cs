using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using Xunit;

namespace Cinnabar.Tests.Unit.Tools;

/// <summary>The npm packages of tests and reports are the reviewed ones.</summary>
public sealed class PackageLockTests
{
    /// <summary>Also those of other systems, which npm leaves without a checksum where its registry does not
    /// have them.</summary>
    [Theory]
    [InlineData("EndToEnd")]
    [InlineData("Report")]
    public void EveryPackageHasAChecksum(string name)
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Locks", name, "package-lock.json");
        using JsonDocument file = JsonDocument.Parse(File.ReadAllText(path));
        List<string> missing = [];
        int count = 0;
        foreach (JsonProperty package in file.RootElement.GetProperty("packages").EnumerateObject())
        {
            // The first one is the folder itself.
            if (package.Name.Length == 0)
                continue;
            count++;
            bool hasChecksum = package.Value.TryGetProperty("integrity", out JsonElement checksum)
                && checksum.GetString()!.StartsWith("sha512-", StringComparison.Ordinal);
            if (!hasChecksum)
                missing.Add(package.Name);
        }

        Assert.NotEqual(0, count);
        Assert.Empty(missing);
    }
}

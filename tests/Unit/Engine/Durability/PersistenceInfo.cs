using System;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>The section persistence of INFO.</summary>
internal static class PersistenceInfo
{
    /// <summary>It has all of these lines.</summary>
    public static void AssertInfo(TestClient client, params ReadOnlySpan<string> lines)
    {
        string text = client.Call("INFO", "persistence").Text;
        foreach (string line in lines)
            Assert.Contains($"\r\n{line}\r\n", text, StringComparison.Ordinal);
    }
}

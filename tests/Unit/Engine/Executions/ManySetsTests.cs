using System.Linq;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Set algebra over more small sets than tables are made for.</summary>
public sealed class ManySetsTests
{
    private const int Count = ListpackTables.CountMax + 36;
    private const int MemberCount = 40;

    private static string[] Keys { get; } = [.. Enumerable.Range(0, Count).Select(set => $"set:{set}")];

    // Each set lacks one member, so that all of them have the last ten, and the first lacks what others have.
    [Theory]
    [InlineData("SADD", "SINTER", "SUNION", "SDIFF", "SINTERCARD")]
    [InlineData("ZADD", "ZINTER", "ZUNION", "ZDIFF", "ZINTERCARD")]
    public void EverySetCounts(string add, string inter, string union, string diff, string card)
    {
        bool isSorted = add == "ZADD";
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int set = 0; set < Count; set++)
        {
            for (int member = 0; member < MemberCount; member++)
            {
                string[] score = isSorted ? ["1"] : [];
                if (member != set % (MemberCount - 10))
                    client.Call([add, Keys[set], .. score, $"m{member}"]);
            }
        }

        string[] number = isSorted ? [$"{Count}"] : [];
        string[] own = [add, "own", .. isSorted ? ["1", "alone", "1", "m39"] : (string[])["alone", "m39"]];
        client.Call(own);
        Assert.Equal(Enumerable.Range(MemberCount - 10, 10).Select(member => $"m{member}").Order(),
            client.Call([inter, .. number, .. Keys]).Items.Select(item => item.Text).Order());
        Assert.Equal(10, client.Call([card, $"{Count}", .. Keys]).Integer);
        Assert.Equal(MemberCount, client.Call([union, .. number, .. Keys]).Items.Count);
        string[] one = isSorted ? [$"{Count + 1}"] : [];
        Assert.Equal("alone", Assert.Single(client.Call([diff, .. one, "own", .. Keys]).Items).Text);
    }
}

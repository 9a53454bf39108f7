using System.Linq;
using Cinnabar.Engine.Executions;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Commands and transactions with more keys than are prefetched together, on keys that are there and
/// keys that are not, in databases with and without keys.</summary>
public sealed class ManyKeysTests
{
    private const int Count = (3 * KeysAhead.CountMax) + 1;

    private static string[] Keys { get; } = [.. Enumerable.Range(0, Count).Select(number => $"key:{number}")];

    [Theory]
    [InlineData(1, "0")]
    [InlineData(2, "0")]
    [InlineData(2, "7")]
    public void EachKeyGetsItsValue(int loopCount, string database)
    {
        using var server = new TestServer(loopCount);
        TestClient client = server.Connect(loopCount - 1);
        client.Call("SELECT", database);
        Assert.All(client.Call(["MGET", .. Keys]).Items, item => Assert.Equal('_', item.Kind));
        for (int round = 0; round < 2; round++)
        {
            string[] pairs = [.. Keys.SelectMany(key => (string[])[key, $"{key} {round}"])];
            Assert.Equal("+OK", client.Call(["MSET", .. pairs]).ToString());
            Assert.Equal(Keys.Select(key => $"{key} {round}"),
                client.Call(["MGET", .. Keys]).Items.Select(item => item.Text));
        }

        Assert.Equal(Count, client.Call(["DEL", .. Keys]).Integer);
        Assert.Equal(0, client.Call(["EXISTS", .. Keys]).Integer);
    }

    [Fact]
    public void ATransactionOfManyCommandsAnswersEach()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("MULTI");
        foreach (string key in Keys)
            Assert.Equal("+QUEUED", client.Call("APPEND", key, key).ToString());
        RespValue replies = client.Call("EXEC");
        Assert.Equal(Keys.Select(key => (long)key.Length), replies.Items.Select(item => item.Integer));
    }
}

using System;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>What CLIENT shows of a transaction.</summary>
public sealed class TransactionDescriptionTests
{
    /// <summary>A transaction that runs is still one to those who look: its own commands, and the log of
    /// denied ones.</summary>
    [Fact]
    public void InfoShowsATransactionThatRuns()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(1);
        client.Run("MULTI");
        client.Run("CLIENT INFO");
        client.Run("EVAL 'return 1' 0");
        string reply = client.Run("EXEC");
        Assert.Contains(" flags=x ", reply, StringComparison.Ordinal);
        Assert.Contains(" multi=2 ", reply, StringComparison.Ordinal);
        Assert.DoesNotContain(" multi-mem=0 ", reply, StringComparison.Ordinal);
        string line = client.Run("CLIENT INFO");
        Assert.Contains(" flags=N ", line, StringComparison.Ordinal);
        Assert.Contains(" multi=-1 ", line, StringComparison.Ordinal);
        Assert.Contains(" multi-mem=0 ", line, StringComparison.Ordinal);
    }

    [Fact]
    public void ATransactionThatCannotRunKeepsNothingMore()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(1);
        client.Run("WATCH w");
        client.Run("MULTI");
        client.Run("GET a");
        server.Connect(0).Run("SET w 1");
        Assert.Equal("+QUEUED", client.Run("GET a"));
        Assert.Contains(" multi=1 ", server.Connect(0).Run("CLIENT LIST"), StringComparison.Ordinal);
        Assert.Equal("_", client.Run("EXEC"));
        client.Run("MULTI");
        client.Run("NONE");
        Assert.Equal("+QUEUED", client.Run("GET a"));
        Assert.Contains(" multi=0 ", server.Connect(0).Run("CLIENT LIST"), StringComparison.Ordinal);
        Assert.StartsWith("-EXECABORT", client.Run("EXEC"), StringComparison.Ordinal);
    }
}

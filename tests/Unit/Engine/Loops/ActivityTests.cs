using System;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>What a report of a crash would say of a loop: the command that it runs, and its client.</summary>
public sealed unsafe class ActivityTests : IDisposable
{
    private readonly TestServer _server = new(1, null, ("enable-debug-command", "yes"));

    public void Dispose() => _server.Dispose();

    [Fact]
    public void TheRowNamesTheLastCommandAndItsClient()
    {
        TestClient first = _server.Connect();
        TestClient second = _server.Connect();
        Run(first, "SET", "key", "value");
        long firstId = Row->Session;
        AssertLast("set", firstId);
        Run(second, "CLIENT", "ID");
        AssertLast("client|id", firstId + 1);
        Run(first, "NO-SUCH-COMMAND");
        Run(first, "GET", "key");
        AssertLast("get", firstId);
        Assert.Equal(ActivityPhase.Waits, Row->Phase);
    }

    [Fact]
    public void ACommandThatIsResumedIsNamedAgain()
    {
        TestClient waiting = _server.Connect();
        TestClient other = _server.Connect();
        Run(waiting, "BLPOP", "list", "0");
        long waitingId = Row->Session;
        AssertLast("blpop", waitingId);
        Run(other, "GET", "list");
        AssertLast("get", waitingId + 1);
        Run(waiting, "GET", "never run");
        AssertLast("get", waitingId + 1);
        Run(other, "RPUSH", "list", "element");
        // The client that waited is read again.
        _server.Run();
        AssertLast("get", waitingId);
    }

    [Fact]
    public void ATransactionIsNamed()
    {
        TestClient client = _server.Connect();
        Run(client, "MULTI");
        Run(client, "INCR", "key");
        AssertLast("incr", Row->Session);
        Run(client, "EXEC");
        AssertLast("exec", Row->Session);
    }

    private ActivityRow* Row => _server.Engine.Activities.OfLoop(0);

    private void Run(TestClient client, params string[] words)
    {
        client.Send(words);
        _server.Run();
    }

    private void AssertLast(string command, long session)
    {
        // "b3;get": the command's node in the table of specs.
        byte* at = (byte*)Row->Command + 1;
        int length = 0;
        for (; *at != ';'; at++)
            length = length * 10 + *at - '0';
        string name = Encoding.ASCII.GetString(at + 1, length);
        Assert.Equal(command, name);
        Assert.Equal(session, Row->Session);
    }
}

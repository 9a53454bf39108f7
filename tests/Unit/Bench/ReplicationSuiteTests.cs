using System.Globalization;
using System.Threading.Tasks;
using Cinnabar.Bench.Suites.Replicating;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class ReplicationSuiteTests
{
    private const int Count = 1000;

    [Fact]
    public async Task ASinkReadsAllThatAMasterSends()
    {
        using var master = new StreamMaster(Count);
        Task accepted = Task.Run(master.Accept);
        using StreamSink sink = StreamSink.Follow(new ServerAddress("127.0.0.1", master.Port), core: null);
        await accepted;
        Assert.Equal(0, sink.Offset);
        double rate = await Task.Run(master.SendOnce);
        Assert.InRange(rate, double.Epsilon, double.MaxValue);
        sink.Await(Count * 107);
    }

    [Fact]
    public async Task AReplicaAppliesTheStream()
    {
        using var master = new StreamMaster(Count);
        using CinnabarServer server = CinnabarServer.Start(
            new CinnabarServerOptions { Port = 0, LoopCount = 1 });
        using var link = new ServerLink(new ServerAddress("127.0.0.1", server.Port), new SessionOptions());
        link.Ask("REPLICAOF", "127.0.0.1", master.Port.ToString(CultureInfo.InvariantCulture));
        master.Accept();
        Assert.InRange(await Task.Run(master.SendOnce), double.Epsilon, double.MaxValue);
        // Of a million keys few come twice.
        Assert.InRange(int.Parse(link.Ask("DBSIZE")!, CultureInfo.InvariantCulture), Count - 10, Count);
        link.Ask("REPLICAOF", "NO", "ONE");
    }
}

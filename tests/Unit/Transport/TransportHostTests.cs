using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport;
using Cinnabar.Transport.InProcess;
using Cinnabar.Transport.Listening;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

public sealed class TransportHostTests
{
    /// <summary>A client that connects while the server ends learns of the end at once.</summary>
    [Fact]
    public void AConnectionThatComesTooLateHasEnded()
    {
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = 2,
        });
        engine.Configuration.Override("port", "0");
        var host = new TransportHost(engine, new ListenChoice { IsNowhereAllowed = true });
        host.Start();
        InProcessConnection early = host.Connect(static () => { });
        Assert.True(early.Write("PING\r\n"u8));
        host.Dispose();
        InProcessConnection late = host.Connect(static () => { });
        Assert.True(late.IsEnded);
        Assert.False(late.Write("PING\r\n"u8));
        Assert.True(early.IsEnded);
    }
}

using System.Runtime.Versioning;
using Cinnabar.Tests.Unit.Transport.Uring;
using Cinnabar.Transport.Tls;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>The TLS connections of a loop, of any transport.</summary>
[SupportedOSPlatform("linux")]
public sealed class TlsSessionsTests
{
    /// <summary>A session that is on its way between two loops when both end comes with the last mail.
    /// </summary>
    [Fact]
    public void AConnectionThatComesAfterTheEndIsFreed()
    {
        using var pipe = new TlsPipe();
        var connection = new TlsConnection(
            new SimulatedTls(), new SimulatedWire(new SimulatedSockets(new SimulatedChance(1)), 700), pipe);
        var sessions = new TlsSessions();
        Assert.NotNull(sessions.Pipe);
        sessions.Dispose();
        sessions.Adopt(null!, connection);
        // It tells its peer nothing: the simulated socket is not there.
        connection.Close();
    }
}

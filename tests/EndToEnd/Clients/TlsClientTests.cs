using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support.Tls;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>Real clients over TLS against the built server, which demands certificates and listens with TLS
/// only.</summary>
public sealed class TlsClientTests : IDisposable
{
    private const int PatienceMs = 300_000;

    private readonly TestCertificates _certificates = new();
    private readonly ReservedPort _port = new();
    private readonly ServerRun _server;

    public TlsClientTests()
    {
        _certificates.Make("client");
        List<string> options = ["--io-threads", "2", "--port", "0", "--tls-port", Port];
        foreach ((string directive, string value) in _certificates.Directives)
            options.AddRange(["--" + directive, value]);
        _server = new ServerRun(("CINNABAR_CHECKED_MEMORY", "1"), null, [.. options]);
        _server.WaitUntilReady();
    }

    private string Port => _port.Number.ToString(CultureInfo.InvariantCulture);

    private string[] ToolOptions => ["--tls", "--cacert", _certificates.AuthorityFile, "--cert",
        _certificates.PathOf("client.crt"), "--key", _certificates.PathOf("client.key"), "-p", Port];

    [Fact]
    public void NodeClients() => ToolRun.Node("tls.mjs", _port.Number, _certificates.AuthorityFile,
        _certificates.PathOf("client.crt"), _certificates.PathOf("client.key"));

    [Fact]
    public async Task StackExchangeRedis()
    {
        using X509Certificate2 certificate = _certificates.Load("client");
        ConfigurationOptions options = ConfigurationOptions.Parse(
            $"127.0.0.1:{Port},ssl=true,syncTimeout={PatienceMs},connectTimeout={PatienceMs}");
        options.CertificateSelection += (_, _, _, _, _) => certificate;
        options.TrustIssuer(_certificates.AuthorityFile);
        using ConnectionMultiplexer connection = ConnectionMultiplexer.Connect(options);
        IDatabase database = connection.GetDatabase();
        string big = new('x', 1_000_000);
        Assert.True(database.StringSet("se", big));
        Assert.Equal(big, database.StringGet("se").ToString());
        IBatch batch = database.CreateBatch();
        var increments = Enumerable.Range(0, 1000)
            .Select(_ => batch.StringIncrementAsync("se:n")).ToArray();
        batch.Execute();
        Assert.Equal(1000, await increments[^1]);
    }

    [Fact]
    public void RedisCli()
    {
        var commands = new StringBuilder();
        for (int index = 0; index < 2000; index++)
            commands.Append(CultureInfo.InvariantCulture, $"SET cli:{index} value{index}\r\n");
        Assert.Contains("errors: 0, replies: 2000",
            ToolRun.Run("redis-cli", $"{commands}", [.. ToolOptions, "--pipe"]), StringComparison.Ordinal);
        Assert.Equal("2000\n", ToolRun.Run("redis-cli", "", [.. ToolOptions, "DBSIZE"]));
        Assert.Contains("tls_handshakes_full:",
            ToolRun.Run("redis-cli", "", [.. ToolOptions, "INFO", "tls"]), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("16")]
    public void RedisBenchmark(string pipeline)
    {
        string output = ToolRun.Run("redis-benchmark", "",
            [.. ToolOptions, "-q", "-n", "400", "-c", "10", "-P", pipeline, "-t",
                "set,get,lpush,lrange_600,mset"]);
        foreach (string test in (string[])["SET", "GET", "LPUSH", "LRANGE_600 (first 600 elements)",
            "MSET (10 keys)"])
            Assert.Contains($"{test}: ", output, StringComparison.Ordinal);
        Assert.DoesNotContain("error", output, StringComparison.OrdinalIgnoreCase);
    }

    public void Dispose()
    {
        _server.Dispose();
        _port.Dispose();
        _certificates.Dispose();
    }
}

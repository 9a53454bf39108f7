using System;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Configuration;

/// <summary>What <c>notify-keyspace-events</c> takes and shows, beside redis-server.</summary>
public sealed class EventClassOracleTests
{
    private const string Name = "notify-keyspace-events";
    private const int RoundCount = 2000;
    private const int LengthMax = 14;

    // The classes of 7.0, and letters that are none. Newer ones, o and c, are wrong there.
    private const string Letters = "Ag$lshzxeKEtmdng$lshzxeKEtmdnX a";

    [Fact]
    public void AnyLettersAreTakenAndShownAsByTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        ConfigurationRegistry registry = new();
        var random = new Random((int)Seeded.Seed());
        for (int round = 0; round < RoundCount; round++)
        {
            string classes = random.GetString(Letters, random.Next(LengthMax));
            string theirs = redis.Call("CONFIG", "SET", Name, classes).Text;
            string own = registry.Set([new(Name, classes)], isLocalClient: true) ?? "OK";
            Assert.Equal($"{classes}: {theirs}", $"{classes}: {own.Replace("noc'.", "n'.")}");
            Assert.Equal($"{classes}: {redis.Call("CONFIG", "GET", Name).Items[1].Text}",
                $"{classes}: {WithoutNewBehindAll(registry.TextOf(Name))}");
        }
    }

    // Redis does not show there, and so forgets with CONFIG REWRITE, what docs/differences.md says.
    private static string WithoutNewBehindAll(string shown) =>
        shown.StartsWith('A') ? shown.Replace("n", "") : shown;
}

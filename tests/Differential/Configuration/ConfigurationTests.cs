using System;
using System.Collections.Generic;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Configuration;

/// <summary>CONFIG GET and SET of the registry beside redis-server's.</summary>
public sealed class ConfigurationTests
{
    private const int Rounds = 3;
    private const int StepsPerRound = 2000;

    private static readonly string[] s_values =
    [
        "", "0", "1", "-1", "2", "10", "99", "100", "511", "1000", "65535", "65536", "2147483647",
            "2147483648",
        "9223372036854775807", "9223372036854775808", "01", "+1", " 1", "1.5", "0x10", "abc", "yes", "no",
        "YES", "No", "maybe", "1k", "1kb", "1mb", "2g", "1GB", "5t", "5%", "0%", "101%", "-5%", "a b", "a",
            "/x",
        "50 99.9", "100 1", "100 1 200 2", "1 2 3", "-2001 0 0", "normal 1 2 3",
            "replica 1mb 0 9 pubsub 0 0 0",
        "nosave", "save now", "now force default", "AKE", "Kgl$", "Ex", "always", "everysec", "debug",
            "warning",
        "allkeys-lru", "volatile-ttl", "swapdb", "on-empty-db", "clients", "optional", "relative", "absolute",
        "hostname", "panic", "allchannels", "{port} x", "{nothing}", "{port", "\u00e9\"\\",
    ];

    [Fact]
    public void DefaultsAreThoseOfRedis()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        ConfigurationRegistry registry = new();
        List<string> differences = [];
        IReadOnlyList<RespValue> theirs = client.Call("CONFIG", "GET", "*").Items;
        for (int index = 0; index < theirs.Count; index += 2)
        {
            string name = theirs[index].Text;
            List<KeyValuePair<string, string>> own = registry.Get([name]);
            if (own.Count != 1)
                differences.Add($"{name} is missing");
            else if (own[0].Value != theirs[index + 1].Text && !ConfigurationDifferences.HasOwnDefault(name))
                differences.Add($"{name}: '{own[0].Value}' but redis '{theirs[index + 1].Text}'");
        }
        Assert.Empty(differences);
    }

    [Fact]
    public void SettingAnyValueAnswersAsRedis()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Seeded.Run(Rounds, static seed =>
        {
            using OracleServer oracle = OracleServer.Start("--enable-protected-configs", "yes");
            using RespClient client = oracle.Connect();
            ConfigurationRegistry registry = new();
            registry.Override("enable-protected-configs", "yes");
            List<string> names = ComparableNames(client, registry);
            RandomSource random = new(seed);
            SortedDictionary<string, string> differences = [];
            for (int step = 0; step < StepsPerRound; step++)
            {
                (string name, string value) = (Pick(ref random, names), Pick(ref random, s_values));
                if (Compare(client, registry, name, value) is string difference)
                    differences.TryAdd(name, difference);
            }
            Assert.True(differences.Count == 0, string.Join('\n', differences.Values));
        });
    }

    private static string? Compare(RespClient client, ConfigurationRegistry registry, string name,
        string value)
    {
        string theirs = client.Call("CONFIG", "SET", name, value).Text;
        string own = registry.Set([new(name, value)], isLocalClient: true) ?? "OK";
        if (own != theirs && ConfigurationDifferences.HasNewerValues(name))
            return null;
        if (own != theirs)
            return $"CONFIG SET {name} '{value}'\nown:   {own}\nredis: {theirs}";
        if (own != "OK")
            return null;
        string theirText = client.Call("CONFIG", "GET", name).Items[1].Text;
        string ownText = registry.TextOf(name);
        return ownText == theirText
            ? null
            : $"after CONFIG SET {name} '{value}': own '{ownText}', redis '{theirText}'";
    }

    private static List<string> ComparableNames(RespClient client, ConfigurationRegistry registry)
    {
        List<string> names = [];
        IReadOnlyList<RespValue> theirs = client.Call("CONFIG", "GET", "*").Items;
        for (int index = 0; index < theirs.Count; index += 2)
        {
            string name = theirs[index].Text;
            if (!ConfigurationDifferences.HasSideEffects(name) && registry.Get([name]).Count == 1)
                names.Add(name);
        }
        return names;
    }

    private static string Pick(ref RandomSource random, IReadOnlyList<string> choices) =>
        choices[(int)random.NextBelow((ulong)choices.Count)];
}

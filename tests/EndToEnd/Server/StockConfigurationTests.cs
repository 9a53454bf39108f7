using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>CONFIG GET of a server that was started with a stock configuration file.</summary>
public sealed class StockConfigurationTests
{
    private const string DebianFile = "/etc/redis/redis.conf";

    // What the test's own options set.
    private static readonly string[] s_own = ["port", "bind", "dir", "logfile", "daemonize", "pidfile"];

    /// <summary>These files name every directive of their version, with its default.</summary>
    [Theory]
    [InlineData("redis-8.conf")]
    [InlineData("valkey-9.conf")]
    public void EveryDirectiveOfAFileIsAnsweredWithItsValue(string name)
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Configs", name);
        using ServerRun run = new(path, "--logfile", "", "--daemonize", "no", "--pidfile", "own.pid");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        int count = 0;
        foreach (IGrouping<string, List<string>> lines in Lines(path).GroupBy(words => words[0]))
        {
            IReadOnlyList<RespValue> answer = client.Call("CONFIG", "GET", lines.Key).Items;
            Assert.True(answer.Count == 2, $"CONFIG GET {lines.Key} has {answer.Count} items");
            Assert.Equal(lines.Key, answer[0].Text);
            if (s_own.Contains(lines.Key))
                continue;
            count++;
            Assert.Equal((lines.Key, Expected(lines)), (lines.Key, answer[1].Text));
        }

        Assert.True(count > 150, $"{path} has only {count} directives");
    }

    [Fact]
    public void DebiansFileIsAnsweredAsRedisAnswersIt()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Assert.SkipUnless(CanRead(DebianFile), $"{DebianFile} is not installed or not readable");
        using OracleServer oracle = OracleServer.StartWith(DebianFile);
        using RespClient redis = oracle.Connect();
        using ServerRun run = new(DebianFile, "--logfile", "", "--daemonize", "no", "--supervised", "no",
            "--pidfile", "own.pid", "--save", "");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        List<string> differences = [];
        IReadOnlyList<RespValue> theirs = redis.Call("CONFIG", "GET", "*").Items;
        for (int index = 0; index < theirs.Count; index += 2)
        {
            string name = theirs[index].Text;
            IReadOnlyList<RespValue> ours = client.Call("CONFIG", "GET", name).Items;
            string? value = ours.Count == 2 ? ours[1].Text : null;
            if (value != theirs[index + 1].Text && !s_own.Contains(name) && name != "io-threads")
                differences.Add($"{name}: '{value}', redis '{theirs[index + 1].Text}'");
        }

        Assert.Empty(differences);
    }

    private static IEnumerable<List<string>> Lines(string path) => File.ReadAllLines(path)
        .Where(static line => line.Length > 0 && line[0] != '#')
        .Select(static line => ConfigurationText.Split(line)!);

    // The reply of CONFIG GET for the words of a file: units are spelt out, the classes of clients are one
    // value.
    private static string Expected(IGrouping<string, List<string>> lines)
    {
        if (lines.Key == "client-output-buffer-limit")
            return "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";
        string value = string.Join(' ', lines.Single().Skip(1));
        if (lines.Key == "tls-auth-clients-user" || value.Length < 3 || value.Contains(' '))
            return value;
        int shift = value[^2..] switch { "kb" => 10, "mb" => 20, "gb" => 30, _ => -1 };
        return shift > 0 && long.TryParse(value[..^2], CultureInfo.InvariantCulture, out long number)
            ? (number << shift).ToString(CultureInfo.InvariantCulture)
            : value;
    }

    private static bool CanRead(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            return true;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}

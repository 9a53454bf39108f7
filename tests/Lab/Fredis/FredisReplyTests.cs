using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>What the F# server answers is what redis-server answers, byte for byte.</summary>
[Collection(FredisCollection.Name)]
public sealed class FredisReplyTests(FredisServers servers)
{
    private const string End = "the end of a batch";
    private const int BatchCount = 60;
    private const int BatchSize = 100;

    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void RandomCommands(string io)
    {
        int seed = Seed();
        var stream = new StringCommandStream(new Random(seed));
        using RawClient redis = new(servers.RequireOracle());
        using RawClient ours = new(servers.PortOf(io));
        List<string[]> batch = [["FLUSHDB"]];
        for (int count = 0; count < BatchCount; count++)
        {
            while (batch.Count < BatchSize) batch.Add(stream.Next());
            string request = string.Concat(batch.Select(Encode));
            string expected = Answers(redis, request);
            string actual = Answers(ours, request);
            if (expected != actual) Assert.Fail($"Replay with CINNABAR_SEED={seed}: "
                + Difference(batch.ConvertAll(Shown), expected, actual));
            batch.Clear();
        }
    }

    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void InlineCommands(string io)
    {
        string[] lines =
        [
            "FLUSHDB", "PING", "ping hello", "", "   ", "  SET a b  ", "GET a", "NONSENSE with words",
            "SET a \"b\\x41\\n\\t\\q\\\"\"", "GET a", "SET a 'it\\'s \\n'", "GET a", "SET\ta\v\"\"", "GET a",
            "SET a x\"y z\"", "GET a", "GET \"a\" 'b'", "SET a \"\\xzz\\x4\"", "GET a",
        ];
        string request = string.Join("\r\n", lines) + "\nPING\n*0\r\n*-1\r\n";
        using RawClient redis = new(servers.RequireOracle());
        using RawClient ours = new(servers.PortOf(io));
        Assert.Equal(Answers(redis, request), Answers(ours, request));
    }

    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void RequestsInAnyPieces(string io)
    {
        using RawClient ours = new(servers.PortOf(io));
        string request = Encode(["SET", "pieces", "\r\n\0$"]) + Encode(["GET", "pieces"]) + "GET pieces\r\n";
        foreach (char character in request) ours.Send($"{character}");
        const string Bulk = "$4\r\n\r\n\0$\r\n";
        Assert.Equal("+OK\r\n" + Bulk + Bulk + EndReply, Answers(ours, ""));
    }

    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public async Task LongValues(string io)
    {
        string value = string.Concat(Enumerable.Range(0, 300_000).Select(static n => $"{n},"));
        using RawClient ours = new(servers.PortOf(io));
        // The server waits with its answers for a reader, so sending and reading are separate tasks.
        Task sending = Task.Run(() => ours.Send(Encode(["SET", "long", value])
            + Encode(["MGET", "long", "none", "long"]) + Encode(["PING", End])));
        string bulk = $"${value.Length}\r\n{value}\r\n";
        Assert.Equal($"+OK\r\n*3\r\n{bulk}$-1\r\n{bulk}{EndReply}", ours.ReadThrough(EndReply));
        await sending;
    }

    /// <summary>All connections' commands run one after another: no addition is lost.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public async Task CommandsOfManyClientsRunInTurn(string io)
    {
        const int ClientCount = 16;
        const int CommandCount = 100;
        using RawClient ours = new(servers.PortOf(io));
        Answers(ours, "FLUSHDB\r\n");
        await Task.WhenAll(Enumerable.Range(0, ClientCount).Select(_ => Task.Run(() =>
        {
            using RawClient client = new(servers.PortOf(io));
            Answers(client, string.Concat(Enumerable.Repeat(Encode(["INCR", "n"]), CommandCount)));
        })));
        Assert.Equal($"$4\r\n{ClientCount * CommandCount}\r\n{EndReply}", Answers(ours, "GET n\r\n"));
    }

    private static string EndReply => $"${End.Length}\r\n{End}\r\n";

    private static int Seed()
    {
        string? given = Environment.GetEnvironmentVariable("CINNABAR_SEED");
        // A landing must not depend on the luck of a draw: CI runs one stream, all others a new one.
        if (string.IsNullOrEmpty(given) && Environment.GetEnvironmentVariable("CI") == "true")
            given = "20261121";
        return string.IsNullOrEmpty(given)
            ? Random.Shared.Next()
            : (int)(ulong.Parse(given, CultureInfo.InvariantCulture) & int.MaxValue);
    }

    private static string Encode(string[] words) => Encoding.Latin1.GetString(RespClient.Encode(words));

    private static string Answers(RawClient client, string request)
    {
        client.Send(request + Encode(["PING", End]));
        return client.ReadThrough(EndReply);
    }

    private static string Difference(List<string> commands, string expected, string actual)
    {
        // Replies are apart from the first difference on; the number of complete replies before it gives the
        // command.
        int index = expected.Zip(actual).TakeWhile(static pair => pair.First == pair.Second).Count();
        int command = WholeReplies(expected[..index]);
        return $"command {command}: {string.Join('\n', commands.Take(command + 1).TakeLast(30))}\n"
            + $"redis: …{Around(expected, index)}\nours:  …{Around(actual, index)}";
    }

    private static string Around(string text, int index)
    {
        int start = Math.Max(0, index - 20);
        return Shown([text[start..Math.Min(text.Length, index + 40)]]);
    }

    private static int WholeReplies(string replies)
    {
        var reader = new RespReader(new System.IO.MemoryStream(Encoding.Latin1.GetBytes(replies)));
        for (int count = 0; ; count++)
        {
            try
            {
                reader.Read();
            }
            catch (System.IO.EndOfStreamException)
            {
                return count;
            }
        }
    }

    private static string Shown(string[] words) => string.Join(' ', words.Select(static word =>
        $"\"{string.Concat(word.Select(Shown))}\""));

    private static string Shown(char character) =>
        character is >= ' ' and <= '~' ? $"{character}" : $"\\x{(int)character:x2}";
}

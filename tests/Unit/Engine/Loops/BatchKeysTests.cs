using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>
/// Keys of commands that come together are hashed side by side and looked for together; the commands must
/// answer as if they had come one by one.
/// </summary>
public sealed class BatchKeysTests
{
    private const int RunCount = 200;
    private const int RunLengthMax = 150;
    private const int KeyLengthMax = 40;

    // {0}: a key.
    private static readonly string[] s_commands =
    [
        "GET {0}", "GET {0}", "GET {0}", "INCR {0}", "SET {0} 7", "DEL {0}", "APPEND {0} 1", "EXISTS {0} {0}",
        "PING", "GET", "SELECT 0", "SELECT 1", "NONE {0}", "ECHO {0}", "MGET {0} {0}1",
    ];

    [Fact]
    public void CommandsAnswerTogetherAsOneByOne() => Seeded.Run(2, seed =>
    {
        using var server = new TestServer();
        using var other = new TestServer();
        TestClient together = server.Connect();
        TestClient alone = other.Connect();
        var random = new RandomSource(seed);
        for (int run = 0; run < RunCount; run++)
        {
            List<string> lines = [];
            string key = Key(ref random);
            for (int left = 1 + (int)random.NextBelow(RunLengthMax); left > 0; left--)
            {
                // Runs of one key, of keys of one length, and of any.
                if (random.NextBelow(3) > 0)
                    key = random.NextBelow(4) == 0 ? Key(ref random) : KeyLike(key, ref random);
                string command = s_commands[(int)random.NextBelow((ulong)s_commands.Length)];
                lines.Add(string.Format(null, command, key));
            }

            foreach (string line in lines)
                together.Send(line.Split(' '));
            server.Run();
            Assert.Equal(string.Join(' ', lines.Select(alone.Run)), together.Shown());
        }
    });

    private static string Key(ref RandomSource random) =>
        KeyLike(new string('k', 1 + (int)random.NextBelow(KeyLengthMax)), ref random);

    // As long as another, and often the same.
    private static string KeyLike(string key, ref RandomSource random) =>
        key[..^1] + (char)('a' + (int)random.NextBelow(5));
}

using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>INFO tells what scripts and libraries take. They lie in the managed heap, which other tests use,
/// too: these run alone.</summary>
[CollectionDefinition(nameof(ScriptMemoryTests), DisableParallelization = true)]
[Collection(nameof(ScriptMemoryTests))]
public sealed class ScriptMemoryTests
{
    private const int Count = 2000;

    // What earlier tests have left may be freed meanwhile: one measurement without that is enough.
    private const int AttemptsMax = 5;

    private const string Short = "return {0}";

    private const string Usual = "local now = redis.call('TIME')[1] local used = "
        + "tonumber(redis.call('GET', KEYS[1]) or '0') if used + {0} > tonumber(ARGV[1]) then return 0 end "
        + "redis.call('INCRBY', KEYS[1], {0}) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return now";

    private const string WithFunctions = "local function add(list, name) for i = 1, #list do if list[i] == "
        + "name then return i end end list[#list + 1] = name return #list end local names = {{}} "
        + "for _, key in ipairs(KEYS) do add(names, key .. '{0}') end "
        + "table.sort(names, function(a, b) return a < b end) return names";

    public static TheoryData<string, string> Texts => new()
    {
        { "short", Short }, { "usual", Usual }, { "functions", WithFunctions },
        { "comment", "--" + new string('c', 3000) + "\n" + Short },
    };

    [Theory]
    [MemberData(nameof(Texts))]
    public void ScriptsCountWhatTheyTake(string name, string text) =>
        Check(name, "used_memory_scripts_eval", number => ["SCRIPT", "LOAD", TextOf(text, number)]);

    [Theory]
    [MemberData(nameof(Texts))]
    public void LibrariesCountWhatTheyTake(string name, string text) =>
        Check(name, "used_memory_functions", number => ["FUNCTION", "LOAD",
            $"#!lua name=l{number}\nredis.register_function('f{number}', function(KEYS, ARGV) "
            + $"{TextOf(text, number)} end)"]);

    private static void Check(string name, string field, Func<int, string[]> load)
    {
        string found = "";
        for (int attempt = 0; attempt < AttemptsMax; attempt++)
        {
            using var server = new TestServer();
            TestClient client = server.Connect();
            (long counted, long taken) = Measure(client, field, number => client.Call(load(number)));
            if (Math.Abs(counted - taken) <= taken * 15 / 100)
                return;
            found += $" counted {counted / Count} bytes, taken {taken / Count};";
        }

        Assert.Fail($"{name}:{found}");
    }

    private static string TextOf(string text, int number) =>
        string.Format(CultureInfo.InvariantCulture, text, number);

    private static (long Counted, long Taken) Measure(TestClient client, string field, Action<int> load)
    {
        for (int number = 0; number < 20; number++)
            load(number);
        long countedBefore = Field(client, field);
        GC.WaitForPendingFinalizers();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int number = 20; number < Count + 20; number++)
            load(number);
        long taken = GC.GetTotalMemory(forceFullCollection: true) - before;
        return (Field(client, field) - countedBefore, taken);
    }

    private static long Field(TestClient client, string name) => long.Parse(
        client.Call("INFO", "memory").Text.Split("\r\n")
            .Single(line => line.StartsWith(name + ":", StringComparison.Ordinal))[(name.Length + 1)..],
        CultureInfo.InvariantCulture);
}

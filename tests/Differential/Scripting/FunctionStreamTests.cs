using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>Random libraries that come, go, replace each other and move through payloads, and calls of their
/// functions, to redis-server and to the engine: every reply is compared.</summary>
public sealed class FunctionStreamTests
{
    private const int LibraryCount = 4;
    private const int FunctionCount = 8;

    // What a function does; those before it in its library share count and list.
    private static readonly string[] s_bodies =
    [
        "return {#keys, #args, keys[1], args[1]}",
        "count = count + 1 return count",
        "list[#list + 1] = args[1] return list",
        "return list",
        "list.n = (list.n or 0) + 1 return {list.n, count}",
        "return redis.call('INCRBY', keys[1] or 'nokey', 2)",
        "return redis.call('INCR', 'other' .. (args[1] or ''))",
        "redis.call('RPUSH', 'l', count) count = count + 1 error('stop ' .. count)",
        "return redis.pcall('LPUSH', keys[1] or 'k1', args[1])",
        "return {redis.call('GET', 'k1'), redis.call('TYPE', 'l'), constant.b[1]}",
        "constant.b[1] = constant.b[1] + 1 return constant.b[1]",
        "local function deeper(n) if n == 0 then return count end return deeper(n - 1) end return deeper(30)",
        "return redis.call('nosuch', unpack(args))",
        "for i = 1, 5 do redis.call('INCR', 'k' .. i) end return redis.call('MGET', 'k1', 'k2', 'k5')",
        "return",
    ];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAreThoseOfRedis(int protocol)
    {
        using Duel duel = Duel.Start(seconds: 1.5, protocol);
        duel.Comparable = static (words, reply) =>
            words[0] == "FUNCTION" && words[1] == "LIST" ? Unordered(reply) : reply.ToString();
        // Of several names that are taken, Redis says the first of its table.
        duel.IsAllowed = static (_, theirs, ours) => IsNameTaken(theirs) && IsNameTaken(ours);
        while (duel.GoesOn)
            Step(duel);
    }

    private static bool IsNameTaken(RespValue reply) => reply.Kind == '-'
        && (reply.Text.StartsWith("ERR Function f", StringComparison.Ordinal)
            || reply.Text.StartsWith("ERR Library lib", StringComparison.Ordinal))
        && reply.Text.EndsWith(" already exists", StringComparison.Ordinal);

    private static void Step(Duel duel)
    {
        Random random = duel.Random;
        string library = $"lib{random.Next(LibraryCount)}";
        switch (random.Next(20))
        {
            case 0 or 1 or 2:
                string[] replace = random.Next(3) == 0 ? [] : ["REPLACE"];
                duel.Call(["FUNCTION", "LOAD", .. replace, Library(random, library)]);
                break;
            case 3:
                duel.Call("FUNCTION", "DELETE", library);
                break;
            case 4:
                duel.Call(random.Next(2) == 0 ? ["FUNCTION", "LIST"]
                    : ["FUNCTION", "LIST", "LIBRARYNAME", "LIB[0-2]", "WITHCODE"]);
                duel.Call("FUNCTION", "STATS");
                break;
            case 5:
                Restore(duel);
                break;
            case 6:
                duel.Call("MULTI");
                for (int count = random.Next(4); count >= 0; count--)
                    duel.Call(CallOf(random));
                duel.Call("EXEC");
                break;
            case 7:
                duel.Call(["FCALL_RO", .. CallOf(random)[1..]]);
                break;
            case 8 when random.Next(5) == 0:
                duel.Call("FUNCTION", "FLUSH", random.Next(2) == 0 ? "SYNC" : "async");
                duel.Call("FLUSHALL");
                break;
            default:
                duel.Call(CallOf(random));
                break;
        }
    }

    // The libraries of one server go to both: that of the newer one has a version that the other refuses.
    private static void Restore(Duel duel)
    {
        (RespValue theirs, _) = duel.Exchange("FUNCTION", "DUMP");
        if (duel.Random.Next(2) == 0)
            duel.Call("FUNCTION", "FLUSH");
        duel.Call("FUNCTION", "LOAD", "REPLACE", Library(duel.Random, "lib0"));
        string[] policies = ["FLUSH", "APPEND", "REPLACE"];
        duel.Call("FUNCTION", "RESTORE", theirs.Text, policies[duel.Random.Next(policies.Length)]);
    }

    private static string[] CallOf(Random random)
    {
        string name = $"f{random.Next(FunctionCount)}";
        string[] keys = [.. Enumerable.Range(1, random.Next(3)).Select(static number => $"k{number}")];
        string[] arguments = random.Next(3) == 0 ? [] : [$"a{random.Next(3)}"];
        return ["FCALL", random.Next(2) == 0 ? name : name.ToUpperInvariant(),
            keys.Length.ToString(CultureInfo.InvariantCulture), .. keys, .. arguments];
    }

    private static string Library(Random random, string name)
    {
        var code = new StringBuilder($"#!lua name={name}\n");
        code.Append("local count = 0\nlocal list = {}\nlocal constant = {a = 1, b = {1, 2}}\n");
        string[] names = [.. Enumerable.Range(0, FunctionCount).Select(static number => $"f{number}")];
        random.Shuffle(names);
        foreach (string function in names.AsSpan(0, random.Next(5)))
        {
            string body = s_bodies[random.Next(s_bodies.Length)];
            code.Append(random.Next(3) switch
            {
                0 => $"redis.register_function('{function}', function(keys, args) {body} end)\n",
                1 => $"redis.register_function{{function_name = '{function}', flags = {{'no-writes'}}, "
                    + $"callback = function(keys, args) {body} end}}\n",
                _ => $"redis.register_function{{function_name = '{function}', description = 'what it is', "
                    + $"callback = function(keys, args) {body} end}}\n",
            });
        }

        if (random.Next(12) == 0)
            code.Append(random.Next(2) == 0 ? "nosuch()" : "local =");
        return code.ToString();
    }

    // Redis lists libraries and functions in the order of its tables.
    private static string Unordered(RespValue reply) => reply.Items.Count == 0 ? reply.ToString()
        : $"{reply.Kind}[{string.Join(", ", reply.Items.Select(Unordered).Order(StringComparer.Ordinal))}]";
}

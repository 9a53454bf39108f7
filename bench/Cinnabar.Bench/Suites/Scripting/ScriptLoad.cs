using System.Collections.Generic;

namespace Cinnabar.Bench.Suites.Scripting;

/// <summary>A script of a <see cref="ScriptsSuite"/>.</summary>
/// <param name="Name">The name of its rows.</param>
/// <param name="Source">Its text.</param>
/// <param name="Arguments">What follows the script in the command.</param>
/// <param name="IsPure">Whether it calls no command: one client runs one after the other.</param>
internal sealed record ScriptLoad(string Name, string Source, string Arguments, bool IsPure = false)
{
    private const string CountTwenty = "for i = 1, 20 do redis.call('INCR', KEYS[1]) end return 1";

    /// <summary>Twenty calls on one key that is declared.</summary>
    public static ScriptLoad Declared { get; } = new("20 calls", CountTwenty, "1 __key__");

    /// <summary>The same on a key that is not.</summary>
    public static ScriptLoad Undeclared { get; } = new("20 calls, undeclared key",
        CountTwenty.Replace("KEYS[1]", "ARGV[1]", System.StringComparison.Ordinal), "0 __key__");

    /// <summary>A rate limiter of ten windows, each counted and read again.</summary>
    public static ScriptLoad Limiter { get; } = new("20-call rate limiter", """
        local limit, isAllowed = tonumber(ARGV[1]), 1
        for window = 1, 10 do
          local field = 'window:' .. window
          redis.call('HINCRBY', KEYS[1], field, 1)
          if tonumber(redis.call('HGET', KEYS[1], field)) > limit then isAllowed = 0 end
        end
        return isAllowed
        """, "1 __key__ 1000000");

    /// <summary>Scripts that call commands.</summary>
    public static IReadOnlyList<ScriptLoad> Calling { get; } =
    [
        new("one-call script", "return redis.call('GET', KEYS[1])", "1 __key__"),
        Limiter,
    ];

    /// <summary>The function's name.</summary>
    public const string FunctionName = "measured";

    /// <summary>Whether a function is called instead of the script.</summary>
    public bool IsFunction { get; init; }

    /// <summary>A library with a function that does the same.</summary>
    public string Library => "#!lua name=bench\n"
        + $"redis.register_function('{FunctionName}', function(keys, args)\n"
        + Source.Replace("KEYS", "keys", System.StringComparison.Ordinal)
            .Replace("ARGV", "args", System.StringComparison.Ordinal) + "\nend)";

    /// <summary>Scripts that call none.</summary>
    public static IReadOnlyList<ScriptLoad> Pure { get; } =
    [
        new("fib(25)", """
            local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
            return fib(25)
            """, "0", IsPure: true),
        new("string building", """
            local parts = {}
            for i = 1, 5000 do parts[#parts + 1] = 'item ' .. i .. ';' end
            local text = ''
            for i = 1, 200 do text = text .. parts[i] end
            return #table.concat(parts) + #text
            """, "0", IsPure: true),
        new("table sort", """
            local numbers, seed = {}, 42
            for i = 1, 5000 do
              seed = (seed * 1103515245 + 12345) % 2147483648
              numbers[i] = seed
            end
            table.sort(numbers)
            table.sort(numbers, function(a, b) return a > b end)
            return numbers[1]
            """, "0", IsPure: true),
        new("pattern matching", """
            local text = string.rep('GET /users/1234?name=anna&age=31 200; ', 100)
            local count = 0
            for path, name, age in text:gmatch('(%S+)%?name=(%a+)&age=(%d+)') do
              if path:find('^/users/%d+$') and name == 'anna' then count = count + tonumber(age) end
            end
            local changed = text:gsub('%d+', function(digits) return '<' .. digits .. '>' end)
            return count + #changed
            """, "0", IsPure: true),
        new("cjson round trip", """
            local items = {}
            for i = 1, 200 do
              items[i] = {id = i, name = 'item ' .. i, price = i * 1.25, tags = {'a', 'b', 'c'}, isNew = true}
            end
            local text = cjson.encode({items = items, total = 200})
            return #cjson.encode(cjson.decode(text))
            """, "0", IsPure: true),
    ];
}

// One client's scripts and functions, alone and in transactions. A script does several steps: commands on
// the shared keys, of which it declares all, some or none; a count that is incremented and published;
// commands that fail and are caught; for functions, a count that only their library keeps. It may end with an
// error, which carries what the steps have given: they stand. Each step is a call of KeyValueModel; the
// counts are keys there, behind the shared ones.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Random scripts and functions on a few shared strings.</summary>
internal sealed class ScriptWorkload : HistoryWorkload
{
    /// <summary>The channel of the published count.</summary>
    public const string Channel = "told";

    private const int StepCountMax = 4;
    private const string Kept = "KEPT ";

    private const string Body = """
        local function run(count, steps, ending)
            local results = {}
            local function keep(reply)
                if type(reply) ~= 'table' then
                    results[#results + 1] = reply and tostring(reply) or '-'
                elseif reply.ok then
                    results[#results + 1] = '0'
                else
                    for _, one in ipairs(reply) do keep(one) end
                end
            end
            for _, step in ipairs(cjson.decode(steps)) do
                if step[1] == 'TELL' then
                    local number = redis.call('INCR', step[2])
                    redis.call('PUBLISH', 'told', number)
                    keep(number)
                elseif step[1] == 'FAIL' then
                    redis.pcall('INCRBY', step[2], 'x')
                elseif step[1] == 'COUNT' then
                    keep(count())
                else
                    keep(redis.call(unpack(step)))
                end
            end
            local text = table.concat(results, ' ')
            if ending == 'error' then error({err = 'KEPT ' .. text}) end
            if ending == 'reply' then return redis.error_reply('KEPT ' .. text) end
            if ending == 'fail' then redis.call('INCRBY', 'none', 'x') end
            return text
        end

        """;

    private const string Script = Body + "return run(nil, ARGV[1], ARGV[2])";

    // One keeps its count in a variable, which its code shows; the other in a table, which only a run shows.
    private const string OfVariable = "#!lua name=variable\n" + Body + """
        local number = 0
        local function count() number = number + 1 return number end
        redis.register_function('variable', function(keys, args) return run(count, args[1], args[2]) end)
        """;

    private const string OfTable = "#!lua name=table\n" + Body + """
        local kept = {}
        local function count() kept.number = (kept.number or 0) + 1 return kept.number end
        redis.register_function('table', function(keys, args) return run(count, args[1], args[2]) end)
        """;

    private static readonly string[] s_endings = ["error", "reply", "fail"];

    private bool _hasLoaded;

    /// <summary>Makes a workload; see <see cref="RecordingWorkload"/>.</summary>
    public ScriptWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
        : base(client, prefix, keyCount, seed, now)
    {
    }

    /// <summary>For the canary: now and then a script's SET goes to a key that nobody reads.</summary>
    public bool MisplacesWrites { get; init; }

    /// <summary>The highest count that a reply has shown as published.</summary>
    public long ToldMax { get; private set; }

    /// <summary>How many scripts have ended with an error.</summary>
    public int ErrorCount { get; private set; }

    private int Told => KeyCount;

    /// <inheritdoc/>
    public override Request Next()
    {
        if (!_hasLoaded)
        {
            // The first client's libraries stay: a library that is loaded again begins at zero.
            _hasLoaded = true;
            return Request.Any(["FUNCTION", "LOAD", OfVariable], ["FUNCTION", "LOAD", OfTable]);
        }

        return Below(6) == 0 ? InTransaction() : Alone();
    }

    private Request Alone()
    {
        Invocation script = RandomScript();
        Operation operation = Record(script.Calls, isTransaction: false);
        return new Request(RespClient.Encode(script.Words), 1, replies =>
            Note(operation, script.Calls, NumbersOf(script, replies[0])))
        {
            IsWrite = script.IsWrite,
        };
    }

    private Request InTransaction()
    {
        Invocation[] scripts = [.. Enumerable.Range(0, 1 + Below(2)).Select(_ => RandomScript())];
        Call[] calls = [.. scripts.SelectMany(static script => script.Calls)];
        Operation operation = Record(calls, isTransaction: true);
        string[][] lines = [["MULTI"], .. scripts.Select(static script => script.Words), ["EXEC"]];
        return new Request([.. lines.SelectMany(static line => RespClient.Encode(line))], lines.Length,
            replies => Note(operation, calls, [.. scripts.Zip(replies[^1].Items)
                .SelectMany(pair => NumbersOf(pair.First, pair.Second))]))
        {
            IsWrite = scripts.Any(static script => script.IsWrite),
        };
    }

    private void Note(Operation operation, Call[] calls, long[] results)
    {
        Note(operation, results);
        int position = 0;
        foreach (Call call in calls)
        {
            if (call.Keys[0] == Told)
                ToldMax = Math.Max(ToldMax, results[position]);
            position += call.Kind == CallKind.GetMany ? call.Keys.Length : 1;
        }
    }

    private Invocation RandomScript()
    {
        string ending = Below(3) == 0 ? s_endings[Below(s_endings.Length)] : "";
        // An error of a command says nothing of what the steps have given.
        bool givesNothing = ending == "fail";
        int library = Below(4);
        var calls = new List<Call>();
        var steps = new List<string[]>();
        for (int left = 1 + Below(StepCountMax); left > 0; left--)
        {
            if (Below(6) == 0)
                steps.Add(["FAIL", NamesOf([Key()])[0]]);
            Call call = RandomStep(givesNothing, library);
            calls.Add(call);
            steps.Add(StepOf(call));
        }

        bool isWrite = calls.Exists(IsWrite) || library < 2 || steps.Exists(static step => step[0] == "FAIL");
        int[] touched = [.. calls.SelectMany(static call => call.Keys).Where(key => key <= Told).Distinct()];
        string[] keys = NamesOf(touched[..Below(touched.Length + 1)]);
        string[] head = library switch
        {
            0 => ["FCALL", "variable"],
            1 => ["FCALL", "table"],
            // Now and then a text of its own, of which nothing is remembered.
            _ => [isWrite ? "EVAL" : "EVAL_RO", Script + (Below(3) == 0 ? $" -- {Below(100)}" : "")],
        };
        return new Invocation(
            [.. head, $"{keys.Length}", .. keys, JsonSerializer.Serialize(steps), ending],
            [.. calls], isWrite, givesNothing);
    }

    private Call RandomStep(bool givesNothing, int library) => Below(8) switch
    {
        _ when givesNothing => Call.Of(CallKind.Set, Key(), NextValue()),
        0 or 1 => Call.Of(CallKind.Increment, Told),
        2 or 3 when library < 2 => Call.Of(CallKind.Increment, Told + 1 + library),
        _ => RandomCall(),
    };

    private string[] StepOf(Call call)
    {
        string[] names = NamesOf(call.Keys);
        if (call.Keys[0] == Told)
            return ["TELL", .. names];
        if (call.Keys[0] > Told)
            return ["COUNT"];
        if (MisplacesWrites && call.Kind == CallKind.Set && Below(8) == 0)
            names = ["nowhere"];
        return WordsOf(call, names, "");
    }

    private long[] NumbersOf(Invocation script, RespValue reply)
    {
        string text = reply.Text;
        if (reply.Kind == '-')
        {
            ErrorCount++;
            if (script.GivesNothing
                && text.StartsWith("ERR value is not an integer", StringComparison.Ordinal))
                return new long[script.Calls.Length];
            if (!text.StartsWith(Kept, StringComparison.Ordinal))
                throw new InvalidDataException($"{script} got {reply}");
            text = text[Kept.Length..].Split(" script: ")[0];
        }
        else if (reply.Kind != '$' || script.GivesNothing)
        {
            throw new InvalidDataException($"{script} got {reply}");
        }

        return [.. text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(static word => word == "-"
            ? Operation.Missing : long.Parse(word, CultureInfo.InvariantCulture))];
    }

    private sealed record Invocation(string[] Words, Call[] Calls, bool IsWrite, bool GivesNothing)
    {
        public override string ToString() => string.Join(' ', Words[2..]);
    }
}

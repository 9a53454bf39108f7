using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Bench.Servers;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Scripting;

/// <summary>Scripts: those that call commands 16 deep, those that only compute one after the other; of this
/// server also two loops against one, and keys that scripts do not declare against keys that they do; the
/// memory of ten thousand scripts. Over a unix socket where the server has one (<see cref="TypesSuite"/> says
/// why), with one loop.</summary>
internal sealed class ScriptsSuite : ISuite
{
    private const int DataSize = 16;
    private const int ClientCount = 50;
    private const int Depth = 16;
    private const double WarmUpShare = 0.3;
    private const int LoadedCount = 10_000;
    private const int LoadedBytes = 1024;

    public string Name => "scripts";

    public string Title => "Scripts: calls of commands 16 deep, Lua, two loops, undeclared keys, memory";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 1;

    public void Measure(ServerSpec spec, Round round)
    {
        using (MeasuredServer server = round.Start(spec))
        {
            long keyCount = round.KeyCount ?? (round.IsQuick ? 1_000 : 100_000);
            LoadOptions load = Load(server, round, keyCount);
            round.FillWith("SET __key__ __data__", load);
            foreach (ScriptLoad script in ScriptLoad.Calling)
            {
                if (script == ScriptLoad.Limiter) Flush(server);
                string name = $"EVALSHA of a {script.Name}";
                Add(name, Run(script, server, round, load, name), round, spec);
                ScriptLoad function = script with { IsFunction = true };
                name = $"FCALL of a {script.Name}";
                Add(name, Run(function, server, round, load, name), round, spec);
            }
            foreach (ScriptLoad script in ScriptLoad.Pure)
            {
                (LoadResult Result, double CpuSeconds) run = Run(script, server, round, load, script.Name);
                round.Report.Add(script.Name, "runs/s", spec.Name, run.Result.Rate, isHeadline: true);
                round.Report.Add($"{script.Name}, server's CPU", "µs/run", spec.Name, CpuMicroseconds(run),
                    isHeadline: true);
            }
            if (spec.Name.StartsWith(KnownServers.Own, StringComparison.Ordinal))
                MeasureDeclaration(server, round, load);
        }
        if (spec.Name.StartsWith(KnownServers.Own, StringComparison.Ordinal) && round.LoadCores.Count > 0)
            MeasureLoops(spec, round);
        MeasureMemory(spec, round);
    }

    private static LoadOptions Load(MeasuredServer server, Round round, long keyCount) =>
        round.Load(server, keyCount, DataSize) with { Server = server.UnixAddress ?? server.Address };

    private static void Flush(MeasuredServer server)
    {
        using ServerLink link = server.Link();
        link.Ask("FLUSHALL");
    }

    private static void Add(string name, (LoadResult Result, double CpuSeconds) run, Round round,
        ServerSpec spec)
    {
        round.Report.Add(name, "ops/s", spec.Name, run.Result.Rate, isHeadline: true);
        round.Report.Add($"{name}, server's CPU", "µs/op", spec.Name, CpuMicroseconds(run),
            isHeadline: true);
        foreach (string warning in run.Result.Warnings())
            round.Report.Note($"{spec.Name}, {name}: {warning}");
    }

    private static double CpuMicroseconds((LoadResult Result, double CpuSeconds) run) =>
        run.CpuSeconds * 1e6 / run.Result.RequestCount;

    private static (LoadResult Result, double CpuSeconds) Run(ScriptLoad script, MeasuredServer server,
        Round round, LoadOptions load, string name)
    {
        string called;
        using (ServerLink link = server.Link())
        {
            if (script.IsFunction) link.Ask("FUNCTION", "LOAD", "REPLACE", script.Library);
            called = script.IsFunction ? $"FCALL {ScriptLoad.FunctionName}"
                : $"EVALSHA {link.Ask("SCRIPT", "LOAD", script.Source)}";
        }
        round.Live.ShowStep(name);
        using var generator = new LoadGenerator(load with
        {
            ClientCount = script.IsPure ? 1 : load.ClientCount == 1 ? 1 : ClientCount,
            Depth = script.IsPure || load.ClientCount == 1 ? 1 : Depth,
            Commands = [CommandTemplate.Parse($"{called} {script.Arguments}")],
        });
        generator.Run(Math.Max(round.Seconds * WarmUpShare, 0.1));
        double cpu = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        return result.ErrorCount == 0 ? (result, cpu)
            : throw new LoadException($"{server.Spec.Name}, {name}: {result.FirstError}");
    }

    // One client waits for each reply: the times of its requests add up.
    private static void MeasureDeclaration(MeasuredServer server, Round round, LoadOptions load)
    {
        Flush(server);
        LoadOptions alone = load with { ClientCount = 1 };
        var declared = Run(ScriptLoad.Declared, server, round, alone, "declared key");
        var undeclared = Run(ScriptLoad.Undeclared, server, round, alone, "undeclared key");
        string name = server.Spec.Name;
        round.Report.Add("20 calls, one client, time with all stripes against declared keys", "×", name,
            declared.Result.Rate / undeclared.Result.Rate, isHeadline: true);
        round.Report.Add("20 calls, one client, processor time with all stripes against declared keys", "×",
            name, CpuMicroseconds(undeclared) / CpuMicroseconds(declared), isHeadline: true);
    }

    // The second loop shares the load's core: processor time is compared.
    private static void MeasureLoops(ServerSpec spec, Round round)
    {
        double one = OperationsPerCpuSecond(spec, round, 1);
        double two = OperationsPerCpuSecond(spec, round, 2);
        round.Report.Add("20 calls on different keys, per processor second, two loops against one", "×",
            spec.Name, two / one, isHeadline: true);
    }

    private static double OperationsPerCpuSecond(ServerSpec spec, Round round, int loopCount)
    {
        string count = loopCount.ToString(CultureInfo.InvariantCulture);
        Round both = round with { ServerCores = [.. round.ServerCores, .. round.LoadCores] };
        using MeasuredServer server = (loopCount == 1 ? round : both).Start(
            DataFolder.WithOptions(spec, "--io-threads", count));
        LoadOptions load = Load(server, round, round.KeyCount ?? (round.IsQuick ? 1_000 : 100_000));
        string name = $"20 calls, {count} loops";
        double microseconds = CpuMicroseconds(Run(ScriptLoad.Declared, server, round, load, name));
        round.Report.Add($"{name}, server's CPU", "µs/op", spec.Name, microseconds);
        return 1e6 / microseconds;
    }

    private static void MeasureMemory(ServerSpec spec, Round round)
    {
        int count = round.IsQuick ? LoadedCount / 10 : LoadedCount;
        using MeasuredServer server = round.Start(spec);
        using ServerLink link = server.Link();
        link.Ask("SCRIPT", "LOAD", "return 1");
        link.Ask("EVAL", "return redis.call('PING')", "0");
        round.Live.ShowStep($"{count:N0} scripts");
        long emptyBytes = Round.SettledBytes(server);
        for (int number = 0; number < count; number++) link.Ask("SCRIPT", "LOAD", Source(number));
        double bytes = Round.SettledBytes(server) - emptyBytes;
        round.Report.Add($"{count:N0} SCRIPT LOADs of 1 KB", "bytes each", spec.Name, bytes / count,
            isHeadline: true);
    }

    // Code as scripts have it: locals, calls, conditions, strings; each script differs from all others.
    private static string Source(int number)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"local version = {number}\n");
        for (int step = 0; text.Length < LoadedBytes; step++)
            text.Append(CultureInfo.InvariantCulture, $"""
                local value{step} = redis.call('HGET', KEYS[1], 'field:{step}')
                if not value{step} or tonumber(value{step}) < version then
                  redis.call('HSET', KEYS[1], 'field:{step}', ARGV[1])
                end

                """);
        return text.Append("return version\n").ToString();
    }
}

using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Server;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>
/// A server with the checked allocator that clients use in every way for a long time. Two kinds of phases
/// take turns: in one, clients know what each reply must be; in the other a limit of memory evicts their keys
/// and an operator flushes. After each turn all clients go, the keys are removed, and what the server then
/// has is compared with what it had after the first turn. A third kind of client leaves connections in every
/// state. 20 seconds in CI; <c>./x soak MINUTES</c> runs it for longer over one transport, on a server with
/// assertions, and draws the waits of a client and the memory.
/// </summary>
public sealed class SoakTests : IDisposable
{
    /// <summary>The length of a stretch whose waits are one row.</summary>
    public const int RowSeconds = 10;

    private const int SecondsMin = 4;
    private const int TestPart = 12;
    private const int TurnCountMin = 3;
    private const int PhaseSecondsMax = 60;
    private const int PhasesOfRun = 8;
    private const int PhaseCommandsMin = 3000;
    private const int ExactCount = 4;
    private const int LooseCount = 3;
    private const int ActMs = 100;
    private const int PatienceMs = 300_000;
    private const long UsedGrowthMax = 1 << 20;
    private const long ResidentGrowthMax = 24 << 20;

    private ServerRun _run = null!;
    private SoakRecord _record = null!;
    private readonly Stopwatch _time = Stopwatch.StartNew();
    private volatile bool _isPhaseOver;
    private long _commandCount;

    private static int Seconds =>
        Number("CINNABAR_SOAK_MINUTES") is > 0 and var minutes ? minutes * 60
            : Math.Max(Number("CINNABAR_TEST_SECONDS") / TestPart, SecondsMin);

    [Theory]
    [InlineData("epoll")]
    [InlineData("io_uring")]
    public void MemoryIsFlatAndNothingIsLeft(string transport)
    {
        Assert.SkipUnless(Wanted.Length == 0 || Wanted == transport, "another transport is asked for");
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is neither of them");
        Start(transport);
        int seed = (int)(uint)Seeded.Seed();
        using var admin = new RespClient(_run.Port);
        ServerState first = ServerState.Of(_run, admin);
        ExactClient[] exact = [.. Enumerable.Range(0, ExactCount)
            .Select(number => new ExactClient(_run.Port, number, seed + number))];
        LooseClient[] loose = [.. Enumerable.Range(0, LooseCount)
            .Select(number => new LooseClient(_run.Port, seed + ExactCount + number))];
        ServerState? warm = null;
        try
        {
            for (int turn = 0; turn < TurnCountMin || _time.Elapsed.TotalSeconds < Seconds; turn++)
            {
                RunTurn(exact, loose, seed + turn);
                ServerState empty = AwaitEmpty(admin, first, warm);
                warm ??= empty;
            }
        }
        finally
        {
            Show(seed);
        }

        admin.Send("SHUTDOWN", "NOSAVE");
        Assert.Equal(0, _run.WaitForEnd());
        Assert.DoesNotContain("Memory was not given back", _run.Output, StringComparison.Ordinal);
        Assert.Equal("", _run.Error);
        if (Environment.GetEnvironmentVariable("CINNABAR_SOAK_DOCS") is { Length: > 0 } docs)
            _record.Publish(docs, _commandCount);
    }

    /// <inheritdoc/>
    public void Dispose() => _run?.Dispose();

    private static string Wanted => Environment.GetEnvironmentVariable("CINNABAR_SOAK_TRANSPORT") ?? "";

    private void Start(string transport)
    {
        _run = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2", "--save", "",
            "--loop-placement", "all", "--appendonly", "yes", "--auto-aof-rewrite-min-size", "16mb",
            "--transport", transport);
        _record = new SoakRecord(transport);
        _run.WaitUntilReady();
        bool isRefused = _run.Output.Contains("io_uring cannot be used", StringComparison.Ordinal);
        Assert.False(isRefused && Wanted.Length > 0, "io_uring cannot be used here");
        Assert.SkipWhen(isRefused, "io_uring cannot be used here");
    }

    private void RunTurn(ExactClient[] exact, LooseClient[] loose, int seed)
    {
        using var operating = new SoakOperator(_run.Port, seed);
        using var probe = new SoakProbe(_run.Port);
        RunPhase("exact", probe, operating, operating.Act,
            [.. exact.Select(static client => (Func<int>)client.Visit),
                .. loose.Select(static client => (Func<int>)client.Visit)]);
        // Only a check of all keys stands between the two: what is evicted or flushed is no longer known.
        using (var reader = new RespClient(_run.Port))
        {
            foreach (ExactClient client in exact)
            {
                client.CheckAll(reader);
                client.Clear();
            }
        }

        operating.Press();
        RunPhase("pressure", probe, operating, () => { operating.Act(); operating.Press(); },
            [.. loose.Select(static client => (Func<int>)(() => client.Write("0"))),
                .. loose.Select(static client => (Func<int>)client.Visit)]);
        operating.Empty();
    }

    // Clients visit until the time is over and enough is done. Messages come until all of them have gone:
    // one may wait for some.
    private void RunPhase(string name, SoakProbe probe, SoakOperator operating, Action act,
        Func<int>[] visits)
    {
        _isPhaseOver = false;
        long commandsMin = Interlocked.Read(ref _commandCount) + PhaseCommandsMin;
        var phase = Stopwatch.StartNew();
        var row = Stopwatch.StartNew();
        double secondsMin = Math.Min(PhaseSecondsMax, (double)Seconds / PhasesOfRun);
        Task[] clients = [.. visits.Select(visit => Task.Factory.StartNew(() => Visit(visit),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        Task all = Task.WhenAll(clients);
        using var looking = new RespClient(_run.Port);
        try
        {
            while (!all.Wait(ActMs))
            {
                if (!_isPhaseOver)
                    act();
                operating.Publish();
                bool isOver = clients.Any(static client => client.IsFaulted)
                    || (phase.Elapsed.TotalSeconds >= secondsMin
                        && Interlocked.Read(ref _commandCount) >= commandsMin);
                if (row.Elapsed.TotalSeconds >= RowSeconds || (isOver && !_isPhaseOver))
                {
                    _record.Add(_time.Elapsed, name, probe.Take(), ServerState.Of(_run, looking));
                    row.Restart();
                }

                _isPhaseOver |= isOver;
            }
        }
        finally
        {
            _isPhaseOver = true;
        }
    }

    // What is freed behind a flush, and files that are written, are waited for.
    private ServerState AwaitEmpty(RespClient admin, ServerState first, ServerState? warm)
    {
        ServerState state;
        long endMs = Environment.TickCount64 + PatienceMs;
        while (true)
        {
            string remains = ServerState.Remains(admin);
            state = ServerState.Of(_run, admin);
            if (remains.Length == 0 && state.ClientCount == first.ClientCount && state.KeyCount == 0
                && state.DescriptorCount <= first.DescriptorCount
                && (warm is null || (state.UsedBytes <= warm.UsedBytes + UsedGrowthMax
                    && state.ResidentBytes <= warm.ResidentBytes + ResidentGrowthMax)))
                break;
            Assert.True(Environment.TickCount64 < endMs, $"first {first}, after a turn {warm}, now {state}; "
                + $"left: {remains}; clients: {admin.Call("CLIENT", "LIST").Text}");
            Thread.Sleep(ActMs);
        }

        _record.AddEmpty(_time.Elapsed, state);
        return state;
    }

    private void Visit(Func<int> visit)
    {
        while (!_isPhaseOver)
            Interlocked.Add(ref _commandCount, visit());
    }

    private void Show(int seed)
    {
        string text = $"{_commandCount} commands, seed {seed}\n{_record}";
        TestContext.Current.TestOutputHelper?.WriteLine(text);
        if (Environment.GetEnvironmentVariable("CINNABAR_SOAK_CHART") is { Length: > 0 } folder)
            _record.Save(folder, text);
    }

    private static int Number(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture,
            out int number) ? number : 0;
}

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// The same commands to redis-server and to the program: the first replies that differ fail the test, with
/// the seed and the commands that led there. In half of the duels each command that can leaves the program's
/// loop.
/// </summary>
internal sealed class Duel : IDisposable
{
    private const int RecentCountMax = 60;
    private const int ShownLengthMax = 200;

    // A run of CI must not depend on the luck of a draw: it has a fixed seed, other runs a new one.
    private const int SeedOfCi = 20261121;

    // Of all tests that call Start, each with each of its theory's data, where no time is given.
    private const double SecondsOfAll = 102;

    private readonly OracleServer _oracle = OracleServer.StartNamed();
    private readonly RespClient _redis;
    private readonly OwnServer _server;
    private readonly RespClient _ours;
    private readonly Queue<string> _recent = new();
    private readonly List<string[]> _queued = [];
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly double _seconds;

    private Duel(double seconds, int seed, int protocol)
    {
        _seconds = seconds;
        Seed = seed;
        Random = new Random(seed);
        _redis = _oracle.Connect();
        _redis.Call("HELLO", $"{protocol}");
        string version = _redis.Call("INFO", "server").Text;
        IsOracleOld = version.Contains("redis_version:7.0", StringComparison.Ordinal);
        bool isOffLoop = IsOffLoop(seed, TestContext.Current.Test!.TestDisplayName);
        _server = isOffLoop ? OwnServer.OffLoop() : new OwnServer();
        _ours = _server.Connect(protocol);
    }

    /// <summary>What the randomness comes from.</summary>
    public int Seed { get; }

    /// <summary>Whether the oracle is of Redis 7.0, so that newer versions, which win, differ from
    /// it.</summary>
    public bool IsOracleOld { get; }

    /// <summary>Whether its time is not over.</summary>
    public bool GoesOn => _clock.Elapsed.TotalSeconds < _seconds;

    /// <summary>The randomness of the commands.</summary>
    public Random Random { get; }

    /// <summary>Replies that may differ: the words of the command, redis-server's and ours.</summary>
    public Func<string[], RespValue, RespValue, bool>? IsAllowed { get; set; }

    /// <summary>Hears every command that is sent to both, with redis-server's reply and ours.</summary>
    public Action<string[], RespValue, RespValue>? Heard { get; set; }

    /// <summary>What of a command's reply is compared: all of it by default.</summary>
    public Func<string[], RespValue, string> Comparable { get; set; } = static (_, reply) => $"{reply}";

    /// <summary>Runs steps of a random test; see <see cref="Start"/>.</summary>
    public static void Run(double seconds, int protocol, Action<Duel> step,
        Func<string[], RespValue, RespValue, bool>? isAllowed = null)
    {
        using Duel duel = Start(seconds, protocol);
        duel.IsAllowed = isAllowed;
        do
        {
            step(duel);
        }
        while (duel.GoesOn);
    }

    /// <summary>
    /// Begins a random test of some seconds, or of its part of CINNABAR_TEST_SECONDS, which is what all tests
    /// of the project may take; replays the seed in CINNABAR_SEED. Skips it where redis-server is not
    /// installed.
    /// </summary>
    public static Duel Start(double seconds, int protocol)
    {
        Assert.SkipUnless(OracleServer.IsNamedInstalled, "redis-server is not installed");
        string? given = Environment.GetEnvironmentVariable("CINNABAR_SEED");
        bool isGiven = int.TryParse(given, CultureInfo.InvariantCulture, out int seed);
        if (!isGiven)
            seed = Environment.GetEnvironmentVariable("CI") == "true"
                ? SeedOfCi
                : (int)(RandomSource.SystemSeed() & int.MaxValue);
        string? asked = Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS");
        if (double.TryParse(asked, CultureInfo.InvariantCulture, out double secondsOfAll))
            seconds *= secondsOfAll / SecondsOfAll;
        return new Duel(seconds, seed, protocol);
    }

    /// <summary>Whether the commands of a test leave the loop. A test's name ends with its protocol: those of
    /// one do, those of the other do not, and which do depends on the rest of the name.</summary>
    public static bool IsOffLoop(int seed, string test) => (seed + test.Sum(static c => c)) % 2 == 0;

    /// <summary>Sends a command to both and compares the replies.</summary>
    /// <returns>The reply.</returns>
    public RespValue Call(params string[] words)
    {
        (RespValue theirs, RespValue ours) = Exchange(words);
        Settle(words, theirs, ours);
        return ours;
    }

    /// <summary>As <see cref="Call"/>, for a question at a checkpoint: it does not join the commands that led
    /// there.</summary>
    public RespValue Probe(params string[] words)
    {
        RespValue ours = _ours.Call(words);
        CompareOne(words, _redis.Call(words), ours);
        return ours;
    }

    /// <summary>
    /// Compares the replies to a command that was sent with <see cref="Exchange"/>; those of a transaction
    /// command by command.
    /// </summary>
    public void Settle(string[] words, RespValue theirs, RespValue ours)
    {
        bool isExec = words[0].Equals("exec", StringComparison.OrdinalIgnoreCase);
        if (isExec && _queued.Count > 0 && theirs.Kind == ours.Kind
            && theirs.Items.Count == _queued.Count && ours.Items.Count == _queued.Count)
        {
            foreach ((int index, string[] command) in _queued.Index())
                CompareOne(command, theirs.Items[index], ours.Items[index]);
        }
        else
        {
            CompareOne(words, theirs, ours);
        }

        if (theirs.Text == "QUEUED")
            _queued.Add(words);
        else if (isExec || words[0].Equals("discard", StringComparison.OrdinalIgnoreCase))
            _queued.Clear();
    }

    /// <summary>Ends a transaction that may be open.</summary>
    public void Discard()
    {
        _redis.Call("DISCARD");
        _ours.Call("DISCARD");
        _queued.Clear();
    }

    /// <summary>As <see cref="Call"/>, where the elements of the reply may come in any order.</summary>
    public RespValue CallUnordered(params string[] words)
    {
        (RespValue theirs, RespValue ours) = Exchange(words);
        if (Sorted(theirs) != Sorted(ours))
            Fail(Sorted(theirs), Sorted(ours));
        return ours;
    }

    /// <summary>Sends a command to both; nothing is compared.</summary>
    public (RespValue Redis, RespValue Ours) Exchange(params string[] words)
    {
        _recent.Enqueue(string.Join(' ', words.Select(Quoted)));
        if (_recent.Count > RecentCountMax)
            _recent.Dequeue();
        (RespValue theirs, RespValue ours) = (OfRedis(words), _ours.Call(words));
        Heard?.Invoke(words, theirs, ours);
        return (theirs, ours);
    }

    private RespValue OfRedis(string[] words)
    {
        try
        {
            RespValue reply = _redis.Call(words);
            // The error of C's library that SORT then looks at stays until a conversion that clears it: all
            // SORTs before that would be refused.
            if (IsOfNumber(reply) || reply.Items.Any(IsOfNumber))
                _redis.Call("ZADD", "none", "XX", "0", "m");
            return reply;
        }
        catch (EndOfStreamException)
        {
            Fail("closed the connection", "was not asked");
            throw;
        }
    }

    private static bool IsOfNumber(RespValue reply) => reply.Kind == '-'
        && reply.Text == "ERR One or more scores can't be converted into double";

    /// <summary>Asks redis-server alone.</summary>
    public RespValue AskRedis(params string[] words) => _redis.Call(words);

    /// <summary>Fails the test with the commands that led here.</summary>
    public void Fail(string theirs, string ours) => Assert.Fail(
        $"Replay with CINNABAR_SEED={Seed}.\n{string.Join('\n', _recent)}\nredis: {theirs}\nours:  {ours}");

    /// <summary>One of some things.</summary>
    public T Pick<T>(params ReadOnlySpan<T> choices) => choices[Random.Next(choices.Length)];

    /// <inheritdoc/>
    public void Dispose()
    {
        _redis.Dispose();
        _server.Dispose();
        _oracle.Dispose();
    }

    private void CompareOne(string[] words, RespValue theirs, RespValue ours)
    {
        (string expected, string actual) = (Comparable(words, theirs), Comparable(words, ours));
        if (expected != actual && IsAllowed?.Invoke(words, theirs, ours) != true)
            Fail($"{string.Join(' ', words.Select(Quoted))}: {expected}", actual);
    }

    private static string Sorted(RespValue reply) => reply.Kind + string.Join(' ',
        reply.Items.Select(static item => item.ToString()).Order(StringComparer.Ordinal)) + reply.Text;

    private static string Quoted(string word)
    {
        string shown = string.Concat(word.Take(ShownLengthMax).Select(static c =>
            c is >= ' ' and <= '~' and not '"' ? $"{c}" : $"\\x{(int)c:x2}"));
        return word.Length > ShownLengthMax ? $"\"{shown}...\" ({word.Length})" : $"\"{shown}\"";
    }
}

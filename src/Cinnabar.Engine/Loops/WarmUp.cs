// The run time compiles a method when it is first called, and compiles it well only after it has been called
// often: whoever comes first would pay for that, some hundred milliseconds of the loop's processor for each
// kind of command, during which the server is a third as fast as it will be. So a thread that runs only while
// nobody else wants its processor makes an engine of its own, beside the one that serves, and runs there what
// most clients send, until the methods that are common to all of it, and those of these commands, have been
// compiled. Then that engine is given back. As soon as clients ask for something it ends: a thread that
// hardly gets to run, and calls something new each time it does, would keep the run time from compiling well
// what is hot.
//
// What is run: each command as a pipeline and alone, in two sessions, on collections that are small at first,
// then big, then gone. Other common commands are run as often as makes the run time compile them well, and
// not more: the first ones are not to wait for them. Those whose replies are made of managed text (INFO) are
// left out: the garbage would cost more memory than the compiled methods save time.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

// SAFETY: the loop says where there is room for a session's bytes, and segments live while they are sent.
/// <summary>Has the engine's methods compiled before clients need them.</summary>
public static unsafe class WarmUp
{
    private const int RoundCount = 60;
    private const int RoundsBetweenFlushes = 30;
    private const int RoundsBetweenOthers = 12;
    private const int Depth = 16;
    private const int CommandCountMax = 1_000;
    private const int NumberCount = 5_000;
    private const string NumberPlace = "0000";

    // # is a number that goes up; words end with it.
    private static readonly string[] s_commands =
    [
        "PING", "SET key:# value:#", "GET key:#", "GET missing:#", "INCR counter", "MSET a # b # c # d #",
        "EXISTS key:#", "LPUSH list value:#", "RPUSH list value:#", "LPUSH list value:#", "LPOP list",
        "RPOP list", "LRANGE list 0 20", "LLEN list", "SADD set member:#", "SADD set member:#",
        "SISMEMBER set member:#", "SPOP set", "SREM set member:#", "SCARD set",
        "HSET hash field:# value:#", "HSET hash field:# value", "HGET hash field:#", "HDEL hash field:#",
        "HINCRBY counters field:# 1", "HGETALL little", "HSET little a 1 b 2", "ZADD zset # member:#",
        "ZADD zset 7# member:#", "ZADD zset 0 member:#", "ZSCORE zset member:#", "ZRANK zset member:#",
        "ZPOPMIN zset", "ZPOPMAX zset", "ZRANGE zset 0 10", "ZINCRBY zset 1 member:#",
        "XADD stream * field value:#", "XLEN stream", "EXPIRE key:# 100", "TTL key:#", "DEL key:#",
        "SET key:# value:# EX 100", "MGET a b c d",
    ];

    private static readonly string[] s_others =
    [
        "ECHO hello", "PUBLISH channel message", "SELECT 0", "DBSIZE", "TYPE key:#", "STRLEN key:#",
        "APPEND text:# value", "SETRANGE text:# 1 value", "GETRANGE text:# 0 10", "SETNX once:# value",
        "GETSET key:# value:#", "GETDEL once:#", "DECR counter", "INCRBY counter 2", "PEXPIRE key:# 100000",
        "PTTL key:#", "PERSIST key:#", "UNLINK key:#", "LINDEX list 1", "LTRIM list 0 100",
        "SMISMEMBER set member:# missing", "SRANDMEMBER set", "HMGET hash field:# missing",
        "HEXISTS hash field:#", "HLEN hash", "ZCARD zset", "ZCOUNT zset 0 100", "ZREM zset member:#",
        "ZREVRANGE zset 0 10", "ZRANGEBYSCORE zset 0 1000 LIMIT 0 10", "XRANGE stream - + COUNT 10",
    ];

    /// <summary>What is run: commands with their arguments.</summary>
    internal static IEnumerable<string> Lines => s_commands.Concat(s_others);

    /// <summary>Begins on a thread of its own; ends when the server has something to do.</summary>
    public static void Start(ServerEngine served) => Start(served, () =>
    {
        AssembliesAhead.Load(Assembly.GetEntryAssembly() ?? typeof(WarmUp).Assembly);
        Run(RoundCount, served);
    });

    /// <summary>Begins something that the server can do without, on a thread of its own.</summary>
    /// <param name="served">The server, whose log says why it could not be done.</param>
    /// <param name="run">What to do.</param>
    /// <returns>The thread.</returns>
    internal static Thread Start(ServerEngine served, Action run)
    {
        var thread = new Thread(() =>
        {
            try
            {
                ThreadRank.TakeLowest();
                run();
            }
            catch (Exception fault)
            {
                served.Log.Write(LogLevel.Warning, $"Warming up has failed: {fault}");
            }
        })
        {
            IsBackground = true,
            Name = "warm-up",
        };
        thread.Start();
        return thread;
    }

    /// <summary>Runs all commands so many times, or until another server is asked for something.</summary>
    /// <returns>How many replies were errors.</returns>
    internal static int Run(int roundCount, ServerEngine? served)
    {
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new NoLog(),
            LoopCount = 1,
        });
        Loop loop = engine.Loops[0];
        var transport = new Nowhere();
        loop.Attach(transport);
        Session[] sessions = [Open(loop, 1), Open(loop, 2)];
        // Nothing is allocated from here on: a process that has never had garbage keeps no memory for it.
        Pipeline[] pipelines = [.. s_commands.Select(static line => new Pipeline(line, Depth))];
        Pipeline[] singles = [.. s_commands.Select(static line => new Pipeline(line, 1))];
        Pipeline[] others = [.. s_others.Select(static line => new Pipeline(line, Depth))];
        var flush = new Pipeline("FLUSHALL", 1);
        int number = 0;
        bool isBusy = false;
        for (int round = 0; round < roundCount && !isBusy; round++)
        {
            for (int command = 0; command < s_commands.Length && !isBusy; command++)
            {
                foreach (Session session in sessions)
                    Send(loop, session, pipelines[command], ref number);
                Turn(loop);
                Send(loop, sessions[0], singles[command], ref number);
                Turn(loop);
                isBusy = IsBusy(served);
            }

            for (int other = 0; round % RoundsBetweenOthers == 1 && other < others.Length && !isBusy; other++)
            {
                foreach (Session session in sessions)
                    Send(loop, session, others[other], ref number);
                Turn(loop);
                isBusy = IsBusy(served);
            }

            if (round % RoundsBetweenFlushes == RoundsBetweenFlushes - 1)
                Send(loop, sessions[0], flush, ref number);
        }

        foreach (Session session in sessions)
            loop.Disconnected(session);
        Turn(loop);
        return transport.ErrorCount;
    }

    // Its counters are another thread's: what it was asked for is seen soon enough.
    private static bool IsBusy(ServerEngine? served)
    {
        if (served is null)
            return false;
        long count = 0;
        foreach (Loop loop in served.Loops)
            count += loop.Statistics.CommandCount;
        return count > CommandCountMax;
    }

    private static Session Open(Loop loop, int connection) => loop.OpenSession(
        new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", connection, ConnectionKind.Tcp, true), out _)!;

    private static void Turn(Loop loop)
    {
        loop.Turn();
        loop.BeginWait();
        loop.EndWait();
    }

    private static void Send(Loop loop, Session session, Pipeline pipeline, ref int number)
    {
        ReadOnlySpan<byte> bytes = pipeline.From(number);
        number += pipeline.Depth;
        while (!bytes.IsEmpty)
        {
            if (loop.IsInputFull)
                loop.Turn();
            loop.Receive(session, out byte* place, out int room);
            int count = Math.Min(room, bytes.Length);
            bytes[..count].CopyTo(new Span<byte>(place, count));
            loop.Received(session, count);
            bytes = bytes[count..];
        }
    }

    // A pipeline of a command, with the places of its numbers and which command each is in.
    private sealed class Pipeline
    {
        private readonly byte[] _bytes;
        private readonly List<(int Place, int Command)> _numbers = [];

        public Pipeline(string line, int depth)
        {
            List<byte> bytes = [];
            string[] words = line.Split(' ');
            for (int command = 0; command < depth; command++)
            {
                bytes.AddRange(Encoding.ASCII.GetBytes($"*{words.Length}\r\n"));
                foreach (string word in words)
                {
                    string text = word.Replace("#", NumberPlace, StringComparison.Ordinal);
                    bytes.AddRange(Encoding.ASCII.GetBytes($"${text.Length}\r\n"));
                    if (word.EndsWith('#'))
                        _numbers.Add((bytes.Count + text.Length - NumberPlace.Length, command));
                    bytes.AddRange(Encoding.ASCII.GetBytes($"{text}\r\n"));
                }
            }

            _bytes = [.. bytes];
            Depth = depth;
        }

        public int Depth { get; }

        public ReadOnlySpan<byte> From(int number)
        {
            foreach ((int place, int command) in _numbers)
            {
                int left = (number + command) % NumberCount;
                for (int digit = NumberPlace.Length - 1; digit >= 0; digit--, left /= 10)
                    _bytes[place + digit] = (byte)('0' + (left % 10));
            }

            return _bytes;
        }
    }

    private sealed class NoLog : ILog
    {
        public bool IsEnabled(LogLevel level) => false;

        public void Write(LogLevel level, string text)
        {
            // Nobody is interested in a server that nobody sees.
        }
    }

    private sealed class Nowhere : LoopTransport
    {
        public int ErrorCount { get; private set; }

        public override long Send(Session session, OutputSegment* segments, int count)
        {
            long total = 0;
            for (int index = 0; index < count; index++)
            {
                ErrorCount += *segments[index].Data == '-' ? 1 : 0;
                total += segments[index].Length;
            }

            return total;
        }

        public override void SetReading(Session session, bool isReading)
        {
            // There is nothing to read from.
        }

        public override void Close(Session session)
        {
            // Nor to close.
        }

        public override void WakeUp()
        {
            // Whoever would have to be woken runs the loop itself.
        }
    }
}

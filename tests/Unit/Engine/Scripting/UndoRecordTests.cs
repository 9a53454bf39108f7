using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Commands;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Engine.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>What random commands have changed is taken back: all keys are what they were, byte for
/// byte.</summary>
public sealed class UndoRecordTests
{
    private const int RoundCount = 60;

    /// <summary>Data, deadlines of keys and of fields, counts, statistics and memory.</summary>
    [Fact]
    public void EverythingIsAsItWas() => Seeded.Run(3, static seed => Run(seed, withSnapshot: false));

    /// <summary>A snapshot that is under way has what the keys had at its moment.</summary>
    [Fact]
    public void ASnapshotIsNotDisturbed() => Seeded.Run(2, static seed => Run(seed, withSnapshot: true));

    /// <summary>Nothing is left of a record that lets the changes stand.</summary>
    [Fact]
    public void ChangesCanStand()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Run("SADD s a b c");
        Changes(server, static run =>
        {
            run.Undo.Begin(run.Execution.Keys);
            run.Call("SADD", "s", "d");
            run.Call("SET", "new", "value");
            Assert.Equal(2, run.Undo.Count);
            run.Undo.Forget();
            Assert.False(run.Undo.IsActive);
            run.Execution.Keys.Commit();
        });
        Assert.Equal(":4", client.Run("SCARD s"));
        Assert.Equal("$value", client.Run("GET new"));
    }

    /// <summary>A key that is too big for the record is refused; what was kept before comes back.</summary>
    [Fact]
    public void TheRecordHasALimit()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Run($"SET small {new string('a', 1000)}");
        client.Run($"SET big {new string('b', 50_000)}");
        Changes(server, static run =>
        {
            run.Undo.Begin(run.Execution.Keys);
            run.Call("APPEND", "small", "x");
            Assert.False(run.TryKeep("big"));
            run.Undo.RollBack();
        }, byteCountMax: 4096);
        Assert.Equal(":1000", client.Run("STRLEN small"));
    }

    /// <summary>A key is kept as it was before the first change, in each database by itself.</summary>
    [Fact]
    public void DatabasesAreKeptApart()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Run("SET k zero");
        Changes(server, static run =>
        {
            run.Undo.Begin(run.Execution.Keys);
            run.Call("APPEND", "k", "!");
            run.Execution.Keys.Database = 3;
            run.Call("SET", "k", "three");
            run.Call("DEL", "k");
            run.Execution.Keys.Database = 0;
            run.Call("APPEND", "k", "!");
            Assert.Equal(2, run.Undo.Count);
            run.Undo.RollBack();
        });
        Assert.Equal("$zero", client.Run("GET k"));
        Assert.Equal((1, 0), (server.Engine.Keyspace.Count(0), server.Engine.Keyspace.Count(3)));
    }


    private static void Run(ulong seed, bool withSnapshot)
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        var writes = new RandomWrites(seed);
        TestClient client = server.Connect();
        foreach (string[] command in writes.Population())
            client.Call(command);
        for (int round = 0; round < RoundCount; round++)
        {
            for (int count = 0; count < 5; count++)
                client.Call(writes.Next());
            clock.Advance(writes.Below(20_000));
            RunRound(server, writes, withSnapshot && round % 4 == 0);
            Assert.Null(server.Fault);
        }

        client.Run("FLUSHALL");
    }

    private static void RunRound(TestServer server, RandomWrites writes, bool withSnapshot)
    {
        using var before = new EntryCollector();
        using var after = new EntryCollector();
        using var saved = new EntryCollector();
        Keyspace.Keyspace keyspace = server.Engine.Keyspace;
        Changes(server, run =>
        {
            before.CollectAll(keyspace);
            if (withSnapshot)
                server.Engine.Data.Snapshots.Begin(SnapshotKind.Rdb, _ => saved, static _ => { });
            run.Execution.Keys.Begin(writes.Below(3), run.NowMs);
            string counts = Counts(keyspace);
            long changeCount = run.Execution.Keys.ChangeCount;
            run.Undo.Begin(run.Execution.Keys);
            for (int count = writes.Below(40); count >= 0; count--)
                run.Call(writes.Next());
            run.Undo.RollBack();
            Assert.Equal(changeCount, run.Execution.Keys.ChangeCount);
            Assert.Equal((0, 0), (run.Execution.Keys.Statistics.Hits, run.Execution.Keys.Statistics.Misses));
            Assert.Equal(0, run.Execution.Keys.Statistics.ExpiredKeys);
            Assert.Equal(counts, Counts(keyspace));
            after.CollectAll(keyspace);
            EntryCollector.Compare(before.Entries, after.Entries);
        });
        server.Run();
        if (withSnapshot)
            EntryCollector.Compare(before.Entries, saved.Entries);
    }

    private static string Counts(Keyspace.Keyspace keyspace) => string.Join(' ',
        Enumerable.Range(0, keyspace.DatabaseCount).Select(database => $"{keyspace.Count(database)}/"
            + keyspace.Stripes.ToArray().Sum(stripe => stripe.Table(database)?.VolatileCount ?? 0) + "/"
            + keyspace.Stripes.ToArray().Sum(stripe => stripe.Table(database)?.VolatileFieldsCount ?? 0)));

    private static void Changes(TestServer server, Action<UndoRun> action,
        int byteCountMax = UndoRecord.ByteCountMaxDefault)
    {
        using var run = new UndoRun(server, byteCountMax);
        Assert.True(AllStripes.TryRun(server.Engine.Keyspace, () => action(run)));
    }

    /// <summary>Calls handlers under all stripes as a script does: each key is kept before a command that
    /// writes.</summary>
    private sealed class UndoRun : IDisposable
    {
        private readonly TestServer _server;
        private readonly ReplyCollector _replies = new();
        private readonly CommandTable _commands = new();

        public UndoRun(TestServer server, int byteCountMax)
        {
            _server = server;
            var access = new KeyspaceAccess(server.Engine.Keyspace, new KeyspaceStatistics());
            Execution = new Execution(access, randomSeed: 5)
            {
                Reply = new ReplyWriter(_replies),
                Place = ExecutionPlace.Nested,
            };
            Undo = new UndoRecord(byteCountMax);
            access.Begin(0, NowMs);
        }

        public Execution Execution { get; }

        public UndoRecord Undo { get; }

        public long NowMs => _server.Engine.Keyspace.Clock.UnixMicroseconds / 1000;

        public bool TryKeep(string name)
        {
            byte[] bytes = Encoding.Latin1.GetBytes(name);
            using var arguments = new NativeArguments(_server.Engine.Keyspace, [bytes]);
            return Undo.TryKeep(new Key(in arguments.List[0]));
        }

        public void Call(params string[] words)
        {
            CommandSpec spec = _commands.Find(Encoding.Latin1.GetBytes(words[0]))!;
            if (spec.IsContainer)
                spec = spec.FindSubcommand(Encoding.Latin1.GetBytes(words[1]))!;
            // They touch keys of another database, or none that they declare.
            if (spec.Lock != LockScope.Keys || words[0] is "MOVE" or "OBJECT" || words.Contains("DB"))
                return;
            using var arguments = new NativeArguments(_server.Engine.Keyspace,
                Array.ConvertAll(words, Encoding.Latin1.GetBytes));
            Execution.Arguments = arguments.List;
            KeyArguments.FillHashes(_server.Engine.Keyspace, spec, arguments.List);
            // PFCOUNT writes its count into the value.
            bool mayChange = spec.Has(CommandFlags.Write | CommandFlags.MayReplicate);
            var keys = new KeyArguments(spec, arguments.List);
            while (mayChange && keys.MoveNext())
                Assert.True(Undo.TryKeep(Execution.Key(keys.Current)));
            Outcome outcome = spec.Call(Execution);
            Assert.True(outcome.IsDone);
            _replies.Take(ref Execution.Reply);
        }

        public void Dispose()
        {
            Undo.Dispose();
            Execution.Keys.Effects.Dispose();
            _replies.Dispose();
        }
    }
}

using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Streams;

/// <summary>What tests/Differential cannot compare with redis-server 7.0: events, changes, time, and what is
/// newer; by the documentation of Redis 8.6.</summary>
public sealed class StreamCommandsTests
{
    [Fact]
    public void ChangesAreDeclared() => DataCommands.Play("""
        XADD s 1-1 a 1 => $"1-1"
        @events => StreamAdded s
        @changes => 1
        XADD s MAXLEN 1 1-* a 2 => $"1-2"
        @events => StreamAdded s, StreamTrimmed s
        @changes => 1
        XADD s 2 a 3
        XADD s 3 a 4
        @events
        XDEL s 2 3-0 9 => :2
        @events => StreamDeleted s
        @changes => 2
        XTRIM s MAXLEN 0 => :1
        @events => StreamTrimmed s
        XTRIM s MAXLEN 0 => :0
        XDEL s 1 => :0
        @events
        XSETID s 9-9 => +OK
        @events => StreamIdSet s
        XGROUP CREATE s g 0 => +OK
        XGROUP SETID s g $ => +OK
        XGROUP CREATECONSUMER s g c => :1
        XGROUP CREATECONSUMER s g c => :0
        XGROUP DELCONSUMER s g c => :0
        XGROUP DELCONSUMER s g c => :0
        XGROUP DESTROY s g => :1
        XGROUP DESTROY s g => :0
        @events => GroupCreated s, GroupIdSet s, ConsumerCreated s, ConsumerDeleted s, GroupDestroyed s
        XLEN s => :0
        @stored s => Stream
        """);

    [Fact]
    public void IdsComeFromTheClockAndNeverGoBack() => DataCommands.Play("""
        @advance 5000
        XADD s 9999999999999999999-5 a 1
        XADD s * a 2 => $"9999999999999999999-6"
        XADD s 18446744073709551615-18446744073709551615 a 3
        XADD s * a 4 => -ERR The stream has exhausted the last possible ID, unable to add more items
        XADD t 1-18446744073709551615 a 1
        XADD t 1-* a 2 => -ERR The ID specified in XADD is equal or smaller than the target stream top item
        XADD t NOMKSTREAM 2 a 2 => $"2-0"
        XSETID t 1 => -ERR The ID specified in XSETID is smaller than the target stream top item
        XDEL t 2
        XSETID t 1-5 => -ERR The ID specified in XSETID is smaller than current max_deleted_entry_id
        """);

    [Fact]
    public void TheLastEntryIsReadByPlus() => DataCommands.Play("""
        XADD s 1 a 1
        XADD s 2 a 2
        XREAD COUNT 5 STREAMS s + => *[*[$"s", *[*[$"2-0", *[$"a", $"2"]]]]]
        XDEL s 2
        XREAD STREAMS s + => *[*[$"s", *[*[$"1-0", *[$"a", $"1"]]]]]
        XREAD STREAMS none + => *-1
        XREAD STREAMS s + + => -ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', or '$'
        .. must be specified.
        """);

    // Redis 7.4.2 and 8.0: what XTRIM took does not count as left to read.
    [Fact]
    public void TheLagOfAGroupKnowsOfTrimmedEntries() => DataCommands.Play("""
        XADD x 1-0 data a
        XADD x 2-0 data b
        XADD x 3-0 data c
        XADD x 4-0 data d
        XADD x 5-0 data e
        XGROUP CREATE x g1 0
        XREADGROUP GROUP g1 c11 COUNT 1 STREAMS x >
        XTRIM x MAXLEN 1
        XINFO GROUPS x => *[*[$"name", $"g1", $"consumers", :1, $"pending", :1, $"last-delivered-id", $"1-0",
        .. $"entries-read", :1, $"lag", :1]]
        XREADGROUP GROUP g1 c11 COUNT 1 STREAMS x >
        XINFO GROUPS x => *[*[$"name", $"g1", $"consumers", :1, $"pending", :2, $"last-delivered-id", $"5-0",
        .. $"entries-read", :5, $"lag", :0]]
        """);

    [Fact]
    public void NothingIsLeftToReadOfAnEmptyStream() => DataCommands.Play("""
        XADD x 1-0 data a
        XADD x 2-0 data b
        XGROUP CREATE x g 0
        XREADGROUP GROUP g c COUNT 1 STREAMS x >
        XTRIM x MAXLEN 0
        XINFO GROUPS x => *[*[$"name", $"g", $"consumers", :1, $"pending", :1, $"last-delivered-id", $"1-0",
        .. $"entries-read", :1, $"lag", :0]]
        """);

    // As Redis 8.0 and Valkey 9 show it; what Redis 8.6 added is shown once it was used.
    [Fact]
    public void AStreamIsDescribed() => DataCommands.Play("""
        XADD s 1-0 f v
        XINFO STREAM s FULL => *[$"length", :1, $"radix-tree-keys", :1, $"radix-tree-nodes", :2,
        .. $"last-generated-id", $"1-0", $"max-deleted-entry-id", $"0-0", $"entries-added", :1,
        .. $"recorded-first-entry-id", $"1-0", $"entries", *[*[$"1-0", *[$"f", $"v"]]], $"groups", *[]]
        XCFGSET s IDMP-MAXSIZE 7
        XINFO STREAM s FULL => *[$"length", :1, $"radix-tree-keys", :1, $"radix-tree-nodes", :2,
        .. $"last-generated-id", $"1-0", $"max-deleted-entry-id", $"0-0", $"entries-added", :1,
        .. $"recorded-first-entry-id", $"1-0", $"idmp-duration", :100, $"idmp-maxsize", :7,
        .. $"pids-tracked", :0, $"iids-tracked", :0, $"iids-added", :0, $"iids-duplicates", :0,
        .. $"entries", *[*[$"1-0", *[$"f", $"v"]]], $"groups", *[]]
        """);

    [Fact]
    public void ReadingAgainIsNoChange() => DataCommands.Play("""
        XGROUP CREATE s g 0 MKSTREAM
        XGROUP CREATE s h 0
        @events => StreamCreated s, GroupCreated s
        XADD s 1-0 f v
        XREADGROUP GROUP g c STREAMS s >
        @changes => 2
        XREADGROUP GROUP g c STREAMS s 0 => *[*[$"s", *[*[$"1-0", *[$"f", $"v"]]]]]
        @changes => 0
        XREADGROUP GROUP g d STREAMS s 0 => *[*[$"s", *[]]]
        @changes => 1
        """);

    [Fact]
    public void ConsumersAreSeenAndActive() => DataCommands.Play("""
        XADD s 1 a 1
        XGROUP CREATE s g 0
        XCLAIM s g bob 0 1 => *[]
        @advance 50
        XINFO CONSUMERS s g => *[*[$"name", $"bob", $"pending", :0, $"idle", :50, $"inactive", :-1]]
        XREADGROUP GROUP g bob STREAMS s >
        @advance 10
        XREADGROUP GROUP g bob STREAMS s > => *-1
        @advance 5
        XINFO CONSUMERS s g => *[*[$"name", $"bob", $"pending", :1, $"idle", :5, $"inactive", :15]]
        XREADGROUP GROUP g amy NOACK STREAMS s >
        XINFO CONSUMERS s g => *[*[$"name", $"amy", $"pending", :0, $"idle", :0, $"inactive", :-1],
        .. *[$"name", $"bob", $"pending", :1, $"idle", :5, $"inactive", :15]]
        """);

    [Fact]
    public void EntriesAreDeletedWithRegardToTheirGroups() => DataCommands.Play("""
        XDELEX s IDS 2 1-1 2-2 => *[:-1, :-1]
        XADD s 0-5 f v
        XADD s 1-0 f v
        XADD s 2-0 f v
        XADD s 3-0 f v
        XDELEX s ACKED IDS 2 0-5 9-0 => *[:1, :-1]
        XGROUP CREATE s g 0
        XGROUP CREATE s h 0
        XREADGROUP GROUP g c COUNT 2 STREAMS s >
        XREADGROUP GROUP h c COUNT 2 STREAMS s >
        XACK s g 1-0
        XDELEX s ACKED IDS 3 1-0 3-0 9-0 => *[:2, :2, :-1]
        XACK s h 1-0
        XDELEX s ACKED IDS 1 1-0 => *[:1]
        XDELEX s KEEPREF IDS 1 2-0 => *[:1]
        XPENDING s g => *[:1, $"2-0", $"2-0", *[*[$"c", $"1"]]]
        XDELEX s delref ids 1 2-0 => *[:-1]
        XPENDING s g => *[:0, $-1, $-1, *-1]
        XPENDING s h => *[:0, $-1, $-1, *-1]
        XLEN s => :1
        XDELEX s IDS 0 1 => -ERR Number of IDs must be a positive integer
        XDELEX s IDS x 1 => -ERR Number of IDs must be a positive integer
        XDELEX s IDS 3 1-1 2-2 => -ERR The `numids` parameter must match the number of arguments
        XDELEX s IDS 1 1-1 2-2 => -ERR syntax error
        XDELEX s KEEPREF ACKED IDS 1 1-1 => -ERR syntax error
        XDELEX s IDS 1 x => -ERR Invalid stream ID specified as stream command argument
        """);

    [Fact]
    public void EntriesAreAcknowledgedAndDeleted() => DataCommands.Play("""
        XACKDEL s g IDS 2 1-1 2-2 => *[:-1, :-1]
        XADD s 1-0 f v
        XADD s 2-0 f v
        XADD s 3-0 f v
        XACKDEL s g IDS 1 1-0 => *[:-1]
        XGROUP CREATE s g 0
        XGROUP CREATE s h 0
        XREADGROUP GROUP g c STREAMS s >
        XREADGROUP GROUP h c STREAMS s >
        XACKDEL s g ACKED IDS 2 1-0 9-0 => *[:2, :-1]
        XACKDEL s h ACKED IDS 1 1-0 => *[:1]
        XACKDEL s g IDS 1 2-0 => *[:1]
        XPENDING s h => *[:2, $"2-0", $"3-0", *[*[$"c", $"2"]]]
        XPENDING s h - + -1 => *[]
        XACKDEL s g DELREF IDS 1 3-0 => *[:1]
        XPENDING s h => *[:1, $"2-0", $"2-0", *[*[$"c", $"1"]]]
        XLEN s => :0
        """);

    [Fact]
    public void TrimmingHasRegardToGroups() => DataCommands.Play("""
        XADD s 1-0 f v
        XADD s 2-0 f v
        XADD s 3-0 f v
        XGROUP CREATE s g 0
        XADD s MAXLEN = 1 ACKED 4-0 f v
        XLEN s => :4
        XREADGROUP GROUP g c COUNT 2 STREAMS s >
        XACK s g 1-0
        XTRIM s MAXLEN 1 ACKED => :1
        XTRIM s MAXLEN 2 DELREF => :1
        XPENDING s g => *[:0, $-1, $-1, *-1]
        XTRIM s MAXLEN 0 KEEPREF => :2
        XTRIM s ACKED MAXLEN 0 DELREF => -ERR syntax error
        """);

    // Whole pages, here of two entries; what stays of one does not end it.
    [Fact]
    public void ApproximateTrimmingOfWhatIsAcknowledgedGoesByPages()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.Limits.StreamNodeEntriesMax = 2;
        Transcript.Play(harness, """
            XADD s 1-0 f v
            XADD s 2-0 f v
            XADD s 3-0 f v
            XADD s 4-0 f v
            XADD s 5-0 f v
            XTRIM s MAXLEN ~ 4 ACKED => :0
            XGROUP CREATE s g 0
            XREADGROUP GROUP g c STREAMS s >
            XACK s g 1-0 2-0 4-0
            XTRIM s MAXLEN ~ 4 ACKED => :0
            XTRIM s MINID ~ 2-0 ACKED => :0
            XTRIM s MINID ~ 6-0 LIMIT 1 ACKED => :0
            COPY s t => :1
            COPY s u => :1
            XTRIM t MINID ~ 6-0 LIMIT 3 ACKED => :2
            XTRIM u MAXLEN ~ 2 ACKED => :2
            XTRIM s MINID ~ 6-0 ACKED => :3
            XRANGE s - + => *[*[$"3-0", *[$"f", $"v"]], *[$"5-0", *[$"f", $"v"]]]
            XRANGE u - + => *[*[$"3-0", *[$"f", $"v"]], *[$"4-0", *[$"f", $"v"]], *[$"5-0", *[$"f", $"v"]]]
            """);
    }

    [Fact]
    public void IdleEntriesAreClaimedWhileReading() => DataCommands.Play("""
        XADD s 1-0 f v
        XADD s 2-0 f v
        XGROUP CREATE s g 0
        XREADGROUP GROUP g a COUNT 1 STREAMS s >
        @advance 100
        XREADGROUP GROUP g b CLAIM 200 STREAMS s > => *[*[$"s", *[*[$"2-0", *[$"f", $"v"], :0, :0]]]]
        XREADGROUP GROUP g b CLAIM 200 STREAMS s > => *-1
        XREADGROUP GROUP g b CLAIM 100 STREAMS s > => *[*[$"s", *[*[$"1-0", *[$"f", $"v"], :100, :1]]]]
        XADD s 3-0 f v
        @advance 100
        XREADGROUP GROUP g a COUNT 2 CLAIM 50 NOACK STREAMS s > => *[*[$"s",
        .. *[*[$"1-0", *[$"f", $"v"], :100, :2], *[$"2-0", *[$"f", $"v"], :100, :1]]]]
        XPENDING s g - + 9 => *[*[$"1-0", $"a", :0, :3], *[$"2-0", $"a", :0, :2]]
        XREADGROUP GROUP g a CLAIM 0 NOACK STREAMS s > => *[*[$"s", *[*[$"1-0", *[$"f", $"v"], :0, :3],
        .. *[$"2-0", *[$"f", $"v"], :0, :2], *[$"3-0", *[$"f", $"v"], :0, :0]]]]
        XREADGROUP GROUP g a CLAIM -1 STREAMS s > => -ERR min-idle-time must be a positive integer
        XREAD CLAIM 1 STREAMS s 0 => -ERR The CLAIM option is only supported by XREADGROUP. You called XREAD
        .. instead.
        """);

    [Fact]
    public void TheHighestIdIsClaimedOnce() => DataCommands.Play("""
        XADD s 1-0 f v
        XADD s 18446744073709551615-18446744073709551615 f v
        XGROUP CREATE s g 0
        XREADGROUP GROUP g a STREAMS s >
        @advance 100
        XREADGROUP GROUP g b COUNT 5 CLAIM 50 STREAMS s > => *[*[$"s", *[*[$"1-0", *[$"f", $"v"], :100, :1],
        .. *[$"18446744073709551615-18446744073709551615", *[$"f", $"v"], :100, :1]]]]
        """);

    [Fact]
    public void ProducersAddAnEntryOnce() => DataCommands.Play("""
        XADD s 9999999999999-0 f v
        XADD s IDMP p1 one * f v => $"9999999999999-1"
        XADD s IDMP p1 one * f w => $"9999999999999-1"
        @changes => 1
        XADD s IDMP p2 one * f w => $"9999999999999-2"
        XADD s IDMPAUTO p1 * f v g w => $"9999999999999-3"
        XADD s MAXLEN 100 IDMPAUTO p1 * g w f v => $"9999999999999-3"
        XADD s IDMPAUTO p1 * f w g v => $"9999999999999-4"
        XLEN s => :5
        XADD s IDMP p1 * f v => -ERR Invalid stream ID specified as stream command argument
        XADD s IDMP p1 i 1-1 f v => -ERR IDMP/IDMPAUTO can be used only with auto-generated IDs
        XADD s IDMPAUTO p1 IDMP p2 i * f v => -ERR IDMP/IDMPAUTO specified multiple times
        XADD s IDMP "" i * f v => -ERR IDMP requires a non-empty producer ID
        XADD s IDMP p "" * f v => -ERR IDMP requires a non-empty idempotent ID
        XADD s IDMPAUTO "" * f v => -ERR IDMPAUTO requires a non-empty producer ID
        XADD none NOMKSTREAM IDMP p i * f v => $-1
        XCFGSET s IDMP-MAXSIZE 2 IDMP-DURATION 10 => +OK
        XADD s IDMP p1 one * f v => $"9999999999999-5"
        XADD s IDMP p1 two * f v => $"9999999999999-6"
        XADD s IDMP p1 three * f v => $"9999999999999-7"
        XADD s IDMP p1 two * f v => $"9999999999999-6"
        XADD s IDMP p1 one * f v => $"9999999999999-8"
        @advance 10001
        XADD s IDMP p1 one * f v => $"9999999999999-9"
        XCFGSET s => -ERR At least one parameter must be specified
        XCFGSET s IDMP-DURATION => -ERR syntax error
        XCFGSET s IDMP-DURATION 5 IDMP-DURATION 6 => -ERR IDMP-DURATION specified multiple times
        XCFGSET s IDMP-DURATION INVALID IDMP-MAXSIZE => -ERR value is not an integer or out of range
        XCFGSET s IDMP-DURATION 0 => -ERR IDMP-DURATION must be between 1 and 86400 seconds
        XCFGSET s IDMP-MAXSIZE 10001 => -ERR IDMP-MAXSIZE must be between 1 and 10000 entries
        XCFGSET none IDMP-MAXSIZE 1 => -ERR no such key
        XCFGSET none => -ERR no such key
        """);

    // What is set to what it is forgets nothing.
    [Fact]
    public void ProducersAreForgottenWhereTheirLimitsChange() => DataCommands.Play("""
        XADD s 9999999999999-0 f v
        XADD s IDMP p one * f v => $"9999999999999-1"
        XCFGSET s IDMP-DURATION 100 => +OK
        XCFGSET s IDMP-MAXSIZE 100 IDMP-DURATION 100 => +OK
        XADD s IDMP p one * f v => $"9999999999999-1"
        XCFGSET s IDMP-MAXSIZE 99 => +OK
        XADD s IDMP p one * f v => $"9999999999999-2"
        XCFGSET s IDMP-MAXSIZE 99 => +OK
        XADD s IDMP p one * f v => $"9999999999999-2"
        XCFGSET s IDMP-DURATION 99 => +OK
        XADD s IDMP p one * f v => $"9999999999999-3"
        """);

    // The server's limits are those of new streams.
    [Fact]
    public void AStreamKeepsTheLimitsThatItBeganWith()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        Transcript.Play(harness, "XADD s 1-0 f v");
        harness.Keyspace.Limits.StreamIdmpDurationSeconds = 7;
        harness.Keyspace.Limits.StreamIdmpCountMax = 8;
        Transcript.Play(harness, """
            XADD t 1-0 f v
            XCFGSET s IDMP-DURATION 100
            XCFGSET t IDMP-DURATION 7
            XINFO STREAM s FULL => *[$"length", :1, $"radix-tree-keys", :1, $"radix-tree-nodes", :2,
            .. $"last-generated-id", $"1-0", $"max-deleted-entry-id", $"0-0", $"entries-added", :1,
            .. $"recorded-first-entry-id", $"1-0", $"idmp-duration", :100, $"idmp-maxsize", :100,
            .. $"pids-tracked", :0, $"iids-tracked", :0, $"iids-added", :0, $"iids-duplicates", :0,
            .. $"entries", *[*[$"1-0", *[$"f", $"v"]]], $"groups", *[]]
            XINFO STREAM t FULL => *[$"length", :1, $"radix-tree-keys", :1, $"radix-tree-nodes", :2,
            .. $"last-generated-id", $"1-0", $"max-deleted-entry-id", $"0-0", $"entries-added", :1,
            .. $"recorded-first-entry-id", $"1-0", $"idmp-duration", :7, $"idmp-maxsize", :8,
            .. $"pids-tracked", :0, $"iids-tracked", :0, $"iids-added", :0, $"iids-duplicates", :0,
            .. $"entries", *[*[$"1-0", *[$"f", $"v"]]], $"groups", *[]]
            """);
    }

    [Fact]
    public void AGroupHasReadWhatItsMakerSays() => DataCommands.Play("""
        XADD s 1-0 f v
        XGROUP CREATE s g $ ENTRIESREAD 9999
        XINFO GROUPS s => *[*[$"name", $"g", $"consumers", :0, $"pending", :0, $"last-delivered-id", $"1-0",
        .. $"entries-read", :9999, $"lag", :-9998]]
        XADD s 2-0 f v
        XGROUP SETID s g $ ENTRIESREAD 9999
        XINFO GROUPS s => *[*[$"name", $"g", $"consumers", :0, $"pending", :0, $"last-delivered-id", $"2-0",
        .. $"entries-read", :9999, $"lag", :-9997]]
        """);

    [Fact]
    public void NothingIsLeftToAcknowledgeWithoutGroups() => DataCommands.Play("""
        XADD s 0-1 f v
        XADD s 0-2 f v
        XADD s 1-1 f v
        XDELEX s ACKED IDS 1 0-2 => *[:1]
        XGROUP CREATE s g 0
        XREADGROUP GROUP g c STREAMS s >
        XDELEX s ACKED IDS 2 0-1 1-1 => *[:2, :2]
        XGROUP DESTROY s g
        XDELEX s ACKED IDS 2 0-1 1-1 => *[:1, :1]
        """);

    [Fact]
    public void StreamsAreCopiedAndChangeApart() => DataCommands.Play("""
        XADD s 1 a 1
        XGROUP CREATE s g 0
        XREADGROUP GROUP g c STREAMS s >
        COPY s t => :1
        XADD s 2 a 2
        XACK s g 1
        XLEN t => :1
        XPENDING t g => *[:1, $"1-0", $"1-0", *[*[$"c", $"1"]]]
        DEL s
        XRANGE t - + => *[*[$"1-0", *[$"a", $"1"]]]
        """);
}

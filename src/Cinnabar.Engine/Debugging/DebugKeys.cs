using System.Buffers.Text;
using Cinnabar.Commands.Keys;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Tables;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Engine.Debugging;

/// <summary>
/// The subcommands of DEBUG about keys: DIGEST, DIGEST-VALUE, OBJECT, HTSTATS, HTSTATS-KEY, LISTPACK,
/// POPULATE, QUICKLIST. All stripes are locked.
/// </summary>
internal static unsafe class DebugKeys
{
    private const long PopulateKeyNs = 300;
    private const long MemberShapeNs = 1;

    /// <summary>Runs a subcommand.</summary>
    /// <returns>False where there is none of this name and number of arguments.</returns>
    public static bool TryRun(SessionExecution execution, string name, out Outcome outcome)
    {
        outcome = Outcome.Done;
        switch (name, execution.ArgumentCount)
        {
            case ("digest", 2):
                if (execution.MustLeaveLoop(long.MaxValue))
                    outcome = Outcome.OffLoop;
                else
                    execution.Reply.SimpleString(DataDigest.OfAll(execution).Text);
                return true;
            case ("digest-value", >= 2):
                outcome = ReplyDigests(execution);
                return true;
            case ("object", 3):
            case ("object", 4) when execution.Is(3, "fast"u8):
                ReplyObject(execution);
                return true;
            case ("htstats", 3):
            case ("htstats", 4) when execution.Is(3, "full"u8):
                ReplyTables(execution);
                return true;
            case ("htstats-key", 3):
            case ("htstats-key", 4) when execution.Is(3, "full"u8):
                outcome = ReplyTableOf(execution);
                return true;
            case ("listpack", 3):
                LogStructure(execution, isQuicklist: false);
                return true;
            case ("quicklist", 3 or 4):
                LogStructure(execution, isQuicklist: true);
                return true;
            case ("populate", >= 3 and <= 5):
                outcome = Populate(execution);
                return true;
            default:
                return false;
        }
    }

    private static Outcome ReplyDigests(SessionExecution execution)
    {
        if (execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        for (int index = 2; index < execution.ArgumentCount; index++)
            execution.Reply.SimpleString(DataDigest.OfValue(execution, Find(execution, index)).Text);
        return Outcome.Done;
    }

    private static EntryView Find(SessionExecution execution, int index = 2)
    {
        // DEBUG's spec names no keys, so this one is not hashed yet.
        ref Argument argument = ref execution.Arguments[index];
        argument.Hash = execution.Engine.Keyspace.Hash(argument.Span);
        return execution.Keys.Peek(new Key(in argument));
    }

    private static void ReplyObject(SessionExecution execution)
    {
        // As in Redis also where its deadline has passed, which is what one looks for here.
        execution.Keys.SeesExpired = true;
        execution.Keys.GoOn(execution.Keys.NowMs);
        EntryView entry = Find(execution);
        execution.Keys.SeesExpired = false;
        execution.Keys.GoOn(execution.Keys.NowMs);
        if (entry.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }

        string encoding = Encoding.ASCII.GetString(ObjectCommands.NameOf(entry.Encoding));
        execution.Reply.SimpleString(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $"Value at:0x{entry.Address:x} refcount:{ReferenceCount(entry)} encoding:{encoding} "
            + $"serializedlength:{SerializedLength(execution, entry)} lru:{entry.AccessClock} "
            + $"lru_seconds_idle:{entry.IdleSeconds(execution.NowMs)}{PagesText(execution, entry)}")));
    }

    // Redis's figures about the nodes of a quicklist.
    private static string PagesText(SessionExecution execution, EntryView entry)
    {
        if (entry.Encoding != KeyEncoding.Quicklist)
            return "";
        ListShape shape = entry.List.Shape();
        double average = (double)entry.List.Count / shape.PageCount;
        CollectionLimits limits = execution.Engine.Settings.Collections;
        return string.Create(CultureInfo.InvariantCulture,
            $" ql_nodes:{shape.PageCount} ql_avg_node:{average:F2} "
            + $"ql_listpack_max:{limits.ListListpackSize} "
            + $"ql_compressed:{(limits.ListCompressDepth > 0 || shape.SqueezedCount > 0 ? 1 : 0)} "
            + $"ql_uncompressed_size:{shape.OpenBytes}");
    }

    /// <summary>As OBJECT REFCOUNT: Redis shares small integers.</summary>
    private static int ReferenceCount(EntryView entry) =>
        entry.Encoding == KeyEncoding.Int && entry.Integer is >= 0 and < 10_000 ? int.MaxValue : 1;

    /// <summary>The bytes of the value in an RDB file, not compressed.</summary>
    private static long SerializedLength(SessionExecution execution, EntryView entry)
    {
        if (entry.Type != KeyType.String)
        {
            var sum = new SummingVisitor { Bytes = HeaderSize(ValueParts.LengthOf(entry)) };
            ValueParts.Visit(execution, entry, ref sum);
            return sum.Bytes;
        }

        if (entry.Encoding == KeyEncoding.Int)
        {
            return entry.Integer switch
            {
                >= sbyte.MinValue and <= sbyte.MaxValue => 2,
                >= short.MinValue and <= short.MaxValue => 3,
                >= int.MinValue and <= int.MaxValue => 5,
                _ => 1 + entry.StringLength,
            };
        }

        long length = entry.StringLength;
        return length + HeaderSize(length);
    }

    private static int HeaderSize(long length) =>
        length < 64 ? 1 : length < 16384 ? 2 : length <= uint.MaxValue ? 5 : 9;

    private static void ReplyTables(SessionExecution execution)
    {
        if (!execution.TryInteger(2, out long database))
            return;
        if (database < 0 || database >= execution.Engine.Keyspace.DatabaseCount)
        {
            execution.Reply.Error("ERR Out of range database"u8);
            return;
        }

        var text = new StringBuilder("[Dictionary HT]\n");
        AppendTables(text, execution.Engine.Keyspace, (int)database);
        long volatileCount = execution.Engine.Keyspace.VolatileCount((int)database);
        text.Append("[Expires HT]\n");
        text.Append(CultureInfo.InvariantCulture, $" number of elements: {volatileCount}\n");
        execution.Reply.Verbatim("txt"u8, Encoding.ASCII.GetBytes(text.ToString()));
    }

    // Members that are found by their hash are in pages below nodes.
    private static Outcome ReplyTableOf(SessionExecution execution)
    {
        EntryView entry = Find(execution);
        if (entry.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return Outcome.Done;
        }

        if (!entry.TryPages(out HashPages pages))
        {
            execution.Reply.Error(
                "ERR The value stored at the specified key is not represented using an hash table"u8);
            return Outcome.Done;
        }

        if (execution.MustLeaveLoop(pages.Count * MemberShapeNs))
            return Outcome.OffLoop;
        TreeShape shape = pages.Shape();
        double mean = (double)pages.Count / Math.Max(1, shape.PageCount);
        execution.Reply.Verbatim("txt"u8, Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture,
            $"Hash table 0 stats (main hash table):\n number of elements: {pages.Count}\n"
            + $" height: {shape.Height}\n nodes: {shape.NodeCount}\n pages: {shape.PageCount}\n"
            + $" elements a page: {mean:F2} ({shape.PageElementsMin} to {shape.PageElementsMax})\n"
            + $" bytes: {pages.MemoryBytes}\n")));
        return Outcome.Done;
    }

    private static void AppendTables(StringBuilder text, Keyspace.Keyspace keyspace, int database)
    {
        int tableCount = 0;
        (long slots, long entries, long segments) = (0, 0, 0);
        (long neighbours, long stashed, long overhead) = (0, 0, 0);
        foreach (Stripe stripe in keyspace.Stripes)
        {
            if (stripe.Table(database) is not { } table || table.Entries.Count == 0)
                continue;
            TableStatistics statistics = table.Entries.Statistics();
            tableCount++;
            slots += statistics.SlotCount;
            entries += statistics.EntryCount;
            segments += statistics.SegmentCount;
            neighbours += statistics.NeighbourCount;
            stashed += statistics.StashCount;
            overhead += statistics.OverheadBytes;
        }

        if (tableCount == 0)
        {
            text.Append("No stats available for empty dictionaries\n");
            return;
        }

        text.Append("Hash table 0 stats (main hash table):\n");
        text.Append(CultureInfo.InvariantCulture, $" table size: {slots}\n number of elements: {entries}\n");
        text.Append(CultureInfo.InvariantCulture, $" stripes: {tableCount}\n segments: {segments}\n");
        text.Append(CultureInfo.InvariantCulture, $" in neighbour buckets: {neighbours}\n");
        text.Append(CultureInfo.InvariantCulture, $" in stashes: {stashed}\n overhead bytes: {overhead}\n");
    }

    // To the log, where Redis writes to its standard output.
    private static void LogStructure(SessionExecution execution, bool isQuicklist)
    {
        EntryView entry = Find(execution);
        if (entry.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }

        bool isListpack = entry.Encoding is KeyEncoding.Listpack or KeyEncoding.ListpackEx;
        if (isQuicklist ? entry.Encoding != KeyEncoding.Quicklist : !isListpack)
        {
            execution.Reply.Error(isQuicklist ? "ERR Not a quicklist encoded object."u8
                : "ERR Not a listpack encoded object."u8);
            return;
        }

        string encoding = Encoding.ASCII.GetString(ObjectCommands.NameOf(entry.Encoding));
        var sizes = new SizesVisitor { Text = new StringBuilder() };
        ValueParts.Visit(execution, entry, ref sizes);
        execution.Engine.Log.Write(LogLevel.Notice, string.Create(CultureInfo.InvariantCulture,
            $"DEBUG: {encoding} of {ValueParts.LengthOf(entry)} items in {entry.MemoryUsage} bytes with its "
            + $"key; bytes of the parts:{sizes.Text}"));
        execution.Reply.SimpleString(isQuicklist ? "Quicklist structure printed on stdout"u8
            : "Listpack structure printed on stdout"u8);
    }

    private static Outcome Populate(SessionExecution execution)
    {
        long size = 0;
        if (!TryPositive(execution, 2, out long count)
            || (execution.ArgumentCount == 5 && !TryPositive(execution, 4, out size)))
            return Outcome.Done;
        if (execution.MustLeaveLoop(Math.Min(count, int.MaxValue) * PopulateKeyNs))
            return Outcome.OffLoop;
        ReadOnlySpan<byte> prefix = execution.ArgumentCount > 3 ? execution.Argument(3) : "key"u8;
        var name = new byte[prefix.Length + 1 + RedisNumber.LengthOfInt64(count)];
        var value = new byte[Math.Max(size, 6 + RedisNumber.LengthOfInt64(count))];
        prefix.CopyTo(name);
        name[prefix.Length] = (byte)':';
        "value:"u8.CopyTo(value);
        for (long number = 0; number < count; number++)
        {
            Utf8Formatter.TryFormat(number, name.AsSpan(prefix.Length + 1), out int digitCount);
            Utf8Formatter.TryFormat(number, value.AsSpan(6), out _);
            int nameLength = prefix.Length + 1 + digitCount;
            int valueLength = size > 0 ? (int)size : 6 + digitCount;
            ulong hash = execution.Engine.Keyspace.Hash(name.AsSpan(0, nameLength));
            // SAFETY: the key is used only while its bytes are pinned.
            fixed (byte* bytes = name)
            {
                var key = new Key(bytes, nameLength, hash);
                if (execution.Keys.Peek(in key).IsMissing)
                    execution.Strings.Set(in key, value.AsSpan(0, valueLength));
            }
        }

        execution.Reply.Ok();
        return Outcome.Done;
    }

    private static bool TryPositive(SessionExecution execution, int index, out long value)
    {
        if (RedisNumber.TryParseInt64(execution.Argument(index), out value) && value >= 0
            && value <= Array.MaxLength)
            return true;
        execution.Reply.Error("ERR value is out of range, must be positive"u8);
        return false;
    }

    private struct SizesVisitor : IValueVisitor
    {
        public StringBuilder Text { get; init; }

        public readonly void VisitPart(ReadOnlySpan<byte> part) =>
            Text.Append(CultureInfo.InvariantCulture, $" {part.Length}");

        public readonly void EndItem()
        {
        }
    }

    private struct SummingVisitor : IValueVisitor
    {
        public long Bytes { get; set; }

        public void VisitPart(ReadOnlySpan<byte> part) => Bytes += part.Length + HeaderSize(part.Length);

        public readonly void EndItem()
        {
        }
    }
}

// INFO keysizes: how many values of each type there are of each size, bytes of strings and elements of
// collections, by powers of two (the greatest that is not above the size; 0 for the empty ones), for each
// database. Streams are not counted.
//
// Redis updates these counts with every write. Here the command counts, in the slow lane, with all stripes
// held, like KEYS: writes do not pay for it. So INFO without arguments omits them.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Engine.Information;

/// <summary>Counts keys by the sizes of their values.</summary>
internal static class KeySizes
{
    private const long NsPerKey = 60;
    private const int BucketCount = 41;

    private static readonly (KeyType Type, string Name)[] s_types =
    [
        (KeyType.String, "strings_sizes"), (KeyType.List, "lists_items"), (KeyType.Set, "sets_items"),
        (KeyType.SortedSet, "zsets_items"), (KeyType.Hash, "hashes_items"),
    ];

    /// <summary>What it costs, in nanoseconds.</summary>
    public static long CostNs(ServerEngine engine)
    {
        long count = 0;
        for (int database = 0; database < engine.Keyspace.DatabaseCount; database++)
            count += engine.Keyspace.Count(database);
        return count * NsPerKey;
    }

    /// <summary>Section keysizes; the execution holds all stripes.</summary>
    public static void Write(InfoText text, SessionExecution execution)
    {
        text.Section("Keysizes"u8);
        int selected = execution.Keys.Database;
        for (int database = 0; database < execution.Keys.Keyspace.DatabaseCount; database++)
        {
            if (execution.Keys.Keyspace.Count(database) == 0)
                continue;
            execution.Keys.Database = database;
            var counter = new Counter(new long[(int)KeyType.Stream * BucketCount]);
            KeyScan.Visit(execution.Keys, 0, 0, ref counter);
            foreach ((KeyType type, string name) in s_types)
            {
                ReadOnlySpan<long> counts = counter.CountsOf(type);
                if (counts.ContainsAnyExcept(0))
                    WriteLine(text, database, name, counts);
            }
        }

        execution.Keys.Database = selected;
    }

    private static void WriteLine(InfoText text, int database, string name, ReadOnlySpan<long> counts)
    {
        text.Append($"db{database}_distrib_{name}:");
        ReadOnlySpan<byte> comma = default;
        for (int bucket = 0; bucket < counts.Length; bucket++)
        {
            if (counts[bucket] == 0)
                continue;
            text.Append($"{comma}{Label(bucket)}={counts[bucket]}");
            comma = ","u8;
        }

        text.EndLine();
    }

    private static string Label(int bucket)
    {
        const int BitsPerUnit = 10;
        ReadOnlySpan<string> units = ["", "K", "M", "G", "T"];
        if (bucket == 0)
            return "0";
        int power = bucket - 1;
        return string.Create(CultureInfo.InvariantCulture,
            $"{1 << (power % BitsPerUnit)}{units[power / BitsPerUnit]}");
    }

    private readonly struct Counter(long[] counts) : IKeyVisitor
    {
        public ReadOnlySpan<long> CountsOf(KeyType type) =>
            counts.AsSpan((int)type * BucketCount, BucketCount);

        public void Visit(EntryView entry)
        {
            long size = ValueSize.Of(entry);
            if (size >= 0)
                counts[((int)entry.Type * BucketCount) + Bucket(size)]++;
        }

        private static int Bucket(long length) =>
            length == 0 ? 0 : Math.Min(BitOperations.Log2((ulong)length) + 1, BucketCount - 1);
    }
}

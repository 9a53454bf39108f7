// INFO keysizes: how many strings there are of each size, by powers of two (the greatest that is not above
// the size; 0 for the empty ones), for each database.
//
// Redis keeps these counts up to date with every write. Here they are counted when somebody asks, in the slow
// lane, with all stripes held, as KEYS does: no write pays for them. So they are no part of INFO without a
// word.

using System;
using System.Globalization;
using System.Numerics;
using System.Text;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Server;

/// <summary>Counts keys by the sizes of their values.</summary>
internal static class KeySizes
{
    private const long NsPerKey = 60;
    private const int BucketCount = 41;

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
        text.Section("Keysizes");
        int selected = execution.Keys.Database;
        for (int database = 0; database < execution.Keys.Keyspace.DatabaseCount; database++)
        {
            if (execution.Keys.Keyspace.Count(database) == 0)
                continue;
            execution.Keys.Database = database;
            var counter = new Counter(new long[BucketCount]);
            KeyScan.Visit(execution.Keys, 0, 0, ref counter);
            if (counter.Counts.AsSpan().ContainsAnyExcept(0))
                text.Field($"db{database}_distrib_strings_sizes", Buckets(counter.Counts));
        }

        execution.Keys.Database = selected;
    }

    private static string Buckets(long[] counts)
    {
        var line = new StringBuilder();
        for (int bucket = 0; bucket < counts.Length; bucket++)
        {
            if (counts[bucket] == 0)
                continue;
            string comma = line.Length == 0 ? "" : ",";
            line.Append(CultureInfo.InvariantCulture, $"{comma}{Label(bucket)}={counts[bucket]}");
        }

        return line.ToString();
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
        public long[] Counts => counts;

        public void Visit(EntryView entry) => counts[Bucket(entry.StringLength)]++;

        private static int Bucket(long length) =>
            length == 0 ? 0 : Math.Min(BitOperations.Log2((ulong)length) + 1, BucketCount - 1);
    }
}

// A random key of a database, each as likely as any other: a stripe is drawn with the weight of its keys,
// then a key of its table. Keys past their deadline are drawn too and rejected. Where hardly anything else is
// left, a hundred draws may fail: then the first key of a walk is taken, from a stripe at random, which is
// not uniform but quick to find unless nearly all are dead.

using Cinnabar.Platform;
using Cinnabar.Structures;

namespace Cinnabar.Keyspace;

/// <summary>Draws keys of an execution's database; all stripes are locked.</summary>
public static unsafe class KeySampler
{
    private const int AttemptCountMax = 100;

    /// <summary>A random key, without a trace; missing where there is none.</summary>
    public static EntryView Sample(KeyspaceAccess access, ref RandomSource random)
    {
        long count = access.Keyspace.Count(access.Database);
        if (count == 0)
            return default;
        for (int attempt = 0; attempt < AttemptCountMax; attempt++)
        {
            byte* entry = Draw(access, (long)random.NextBelow((ulong)count), ref random);
            if (!access.IsPastDeadline(entry))
                return new EntryView(entry);
        }

        return FirstLive(access, ref random);
    }

    private static byte* Draw(KeyspaceAccess access, long rank, ref RandomSource random)
    {
        foreach (Stripe stripe in access.Keyspace.Stripes)
        {
            if (stripe.Table(access.Database) is not { } table)
                continue;
            if (rank < table.Entries.Count)
                return table.Entries.Sample(ref random);
            rank -= table.Entries.Count;
        }

        throw new System.InvalidOperationException("The stripes hold fewer keys than they counted.");
    }

    private static EntryView FirstLive(KeyspaceAccess access, ref RandomSource random)
    {
        System.ReadOnlySpan<Stripe> stripes = access.Keyspace.Stripes;
        int first = (int)random.NextBelow((ulong)stripes.Length);
        var visitor = new FirstVisitor { Access = access };
        for (int count = 0; count < stripes.Length; count++)
        {
            if (stripes[(first + count) % stripes.Length].Table(access.Database) is not { } table)
                continue;
            ulong cursor = 0;
            do
                cursor = table.Entries.Scan(cursor, ref visitor);
            while (cursor != 0 && visitor.Entry == null);
            if (visitor.Entry != null)
                break;
        }

        return new EntryView(visitor.Entry);
    }

    private struct FirstVisitor : IEntryVisitor
    {
        public KeyspaceAccess Access;
        public byte* Entry;

        // SAFETY: the table hands out live entries of a stripe that the execution holds.
        public void Visit(byte* entry)
        {
            if (Entry == null && !Access.IsPastDeadline(entry))
                Entry = entry;
        }
    }
}

// A random key of a database, each as likely as any other: a stripe is drawn with the weight of its keys,
// then a key of its table. So one stripe is all that needs to be locked, and ChooseStripe draws it from
// counts that may be an instant old. Keys past their deadline are drawn too and rejected. Where hardly
// anything else is left, a hundred draws may fail: then the first key of a walk is taken, from a stripe at
// random, which is not uniform but quick to find unless nearly all are dead.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>Draws keys of an execution's database.</summary>
public static unsafe class KeySampler
{
    private const int AttemptCountMax = 100;

    /// <summary>Draws a stripe with the weight of its keys; the first where there are none. Needs no
    /// lock.</summary>
    public static int ChooseStripe(Keyspace keyspace, int database, ref RandomSource random)
    {
        long total = keyspace.Count(database);
        long rank = total == 0 ? 0 : (long)random.NextBelow((ulong)total);
        int last = 0;
        foreach (Stripe stripe in keyspace.Stripes)
        {
            long count = stripe.Table(database)?.Entries.Count ?? 0;
            if (count == 0)
                continue;
            last = stripe.Index;
            if (rank < count)
                break;
            rank -= count;
        }

        return last;
    }

    /// <summary>A random key of some stripes, which are locked; its access is not noted. Missing where there
    /// is none.</summary>
    public static EntryView Sample(KeyspaceAccess access, int first, int end, ref RandomSource random)
    {
        ReadOnlySpan<Stripe> stripes = access.Keyspace.Stripes[first..end];
        long count = 0;
        foreach (Stripe stripe in stripes)
            count += stripe.Table(access.Database)?.Entries.Count ?? 0;
        if (count == 0)
            return default;
        for (int attempt = 0; attempt < AttemptCountMax; attempt++)
        {
            byte* entry = Draw(access, stripes, (long)random.NextBelow((ulong)count), ref random);
            if (!access.IsPastDeadline(entry))
                return new EntryView(entry);
        }

        return FirstLive(access, stripes, ref random);
    }

    /// <summary>A random key, whether it is past its deadline or not; all stripes are locked. Missing where
    /// the database is empty.</summary>
    public static EntryView SampleExpired(KeyspaceAccess access, ref RandomSource random)
    {
        long count = access.Keyspace.Count(access.Database);
        return count == 0 ? default : new EntryView(
            Draw(access, access.Keyspace.Stripes, (long)random.NextBelow((ulong)count), ref random));
    }

    private static byte* Draw(
        KeyspaceAccess access, ReadOnlySpan<Stripe> stripes, long rank, ref RandomSource random)
    {
        foreach (Stripe stripe in stripes)
        {
            if (stripe.Table(access.Database) is not { } table)
                continue;
            if (rank < table.Entries.Count)
                return table.Entries.Sample(ref random);
            rank -= table.Entries.Count;
        }

        throw new InvalidOperationException("The stripes hold fewer keys than they counted.");
    }

    private static EntryView FirstLive(
        KeyspaceAccess access, ReadOnlySpan<Stripe> stripes, ref RandomSource random)
    {
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

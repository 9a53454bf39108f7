// The memory that a batch's commands will look up: first the bucket of each key, then, from the tags of these
// buckets, the entries, then, a few commands ahead of the execution, the further lines of each entry. Keys
// have been hashed (BatchKeyHashing).

using Cinnabar.Structures;

namespace Cinnabar.Engine.Loops;

/// <summary>Prefetches for the commands of a batch.</summary>
internal sealed unsafe class BatchPrefetch(Keyspace.Keyspace keyspace)
{
    /// <summary>How many commands lie between the prefetch of an entry's further lines and their
    /// use.</summary>
    public const int RestDistance = 4;

    private const int EntryLineCountMin = 2;
    private const int EntryLineCountMax = 6;

    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private int _entryLineCount = EntryLineCountMin;

    /// <summary>Learns how large entries are on average, to prefetch as much of an entry as is
    /// read.</summary>
    public void LearnEntrySize()
    {
        long bytes = 0;
        long count = 0;
        foreach (Stripe stripe in _keyspace.Stripes)
        {
            bytes += stripe.Arena.UsedBytes;
            count += stripe.Arena.BlockCount;
        }

        _entryLineCount = count == 0 ? EntryLineCountMin
            : (int)Math.Clamp(((bytes / count) + 63) / 64, EntryLineCountMin, EntryLineCountMax);
    }

    /// <summary>Prefetches the buckets and entries of the commands' first keys. On a loop within a turn, or
    /// with the stripes of the keys held.</summary>
    /// <param name="batch">The commands.</param>
    /// <param name="arguments">What their keys are indexes of.</param>
    /// <returns>Number of entries.</returns>
    // SAFETY: the buffer of arguments does not grow meanwhile; what is prefetched may lie anywhere.
    public int Run(Span<BatchCommand> batch, Argument* arguments)
    {
        ulong hash = 0;
        byte* place = null;
        nint version = 0;
        foreach (ref BatchCommand command in batch)
        {
            if (command.Database < 0)
                continue;
            Argument* key = arguments + command.Key;
            if (!command.IsRepeat)
            {
                hash = key->Hash;
                place = _keyspace.Prefetch(hash, command.Database, out version);
            }

            key->Hash = hash;
            command.Hash = hash;
            command.Place = place;
            command.Version = version;
        }

        int foundCount = PrefetchFound(batch);
        for (int index = 0; index < Math.Min(RestDistance, batch.Length); index++)
            Rest(in batch[index]);
        return foundCount;
    }

    /// <summary>Prefetches the rest of a command's entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Rest(in BatchCommand command)
    {
        if (command.Place != null)
            Keyspace.Keyspace.PrefetchRest(Keyspace.Keyspace.EntryIn(command.Place), _entryLineCount);
    }

    // The entries are prefetched in a loop of their own, so short that the processor has the address
    // translations of many under way at once.
    private static int PrefetchFound(Span<BatchCommand> batch)
    {
        byte** found = stackalloc byte*[batch.Length];
        int foundCount = 0;
        byte* slot = null;
        foreach (ref BatchCommand command in batch)
        {
            if (command.Place == null)
                continue;
            if (!command.IsRepeat)
            {
                slot = Keyspace.Keyspace.GuessSlot(command.Place, command.Hash);
                if (slot != null)
                    found[foundCount++] = Keyspace.Keyspace.EntryIn(slot);
            }

            command.Place = slot;
        }

        for (int index = 0; index < foundCount; index++)
            CacheLine.Prefetch(found[index]);
        return foundCount;
    }
}

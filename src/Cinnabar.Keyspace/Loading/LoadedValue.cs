// A value that comes from outside (RESTORE, an RDB file), from its first element to its key:
//
//   1. it is built here, by the load of its type (ListLoad, SetLoad ...), without any lock: trees come from
//      sources that every thread may use, and small collections are bytes of this object;
//   2. Store makes it a key's, under the stripe's lock: an allocation, a copy of at most 64 KiB, an
//      insertion.
//
// So what is wrong with a value is known before anything is in the key space, and a loader with many threads
// holds a stripe for a microsecond, however large the value is. Forms and thresholds are those of commands
// (CollectionLimits).

using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Memory;
using Cinnabar.Resp;
using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Keyspace.Loading;

/// <summary>A value of no key yet. Used for one value after the other, by one thread at a time.</summary>
public sealed unsafe class LoadedValue
{
    private const int EmbstrLengthMax = 44;

    private readonly KeyspaceAccess _access;

    /// <summary>Makes the place of values to come.</summary>
    public LoadedValue(KeyspaceAccess access)
    {
        _access = access;
        SortedSets = new SortedSetStore(access);
    }

    /// <summary>What was built, until it is stored.</summary>
    public EntryView View => new(Entry.Entry);

    /// <summary>The server's secret, by which duplicates are looked for.</summary>
    public HashSeed Seed => Keyspace.Seed;

    /// <summary>Memory for the time of the building.</summary>
    public ScratchPool Scratch => Keyspace.Scratch;

    internal DetachedEntry Entry { get; } = new();

    internal KeyspaceAccess Access => _access;

    internal SortedSetStore SortedSets { get; }

    internal Keyspace Keyspace => _access.Keyspace;

    internal CollectionLimits Limits => _access.Keyspace.Limits;

    /// <summary>The value becomes a string, as SET would store it.</summary>
    public void SetString(ReadOnlySpan<byte> text)
    {
        if (text.Length <= RedisNumber.Int64BytesMax && RedisNumber.TryParseInt64(text, out long integer))
        {
            SetInteger(integer);
        }
        else if (text.Length > KeyEntry.InlineValueLengthMax)
        {
            BlockString blocks = BlockString.Create(Keyspace.Blocks, text);
            SetWord(KeyEncoding.Blocks, blocks.Address);
        }
        else
        {
            KeyEncoding encoding = text.Length <= EmbstrLengthMax ? KeyEncoding.Embstr : KeyEncoding.Raw;
            byte* payload = Entry.Begin(KeyType.String, encoding, text.Length);
            text.CopyTo(new Span<byte>(payload, text.Length));
        }
    }

    /// <summary>The value becomes an integer.</summary>
    public void SetInteger(long integer) => SetWord(KeyEncoding.Int, (nint)integer);

    /// <summary>Makes the value a key's, which has no entry; the stripe is locked. Declares
    /// nothing.</summary>
    /// <param name="access">The execution's view: which database, and when.</param>
    /// <param name="key">The key.</param>
    /// <param name="deadlineMs">Unix milliseconds; &#8722;1: none.</param>
    /// <param name="use">What is known of the key's use.</param>
    public void Store(KeyspaceAccess access, in Key key, long deadlineMs, KeyUse use)
    {
        KeyEntry.SetAccessClock(Entry.Entry, AccessNote.Restored(access, use.IdleSeconds, use.Frequency));
        KeyTransfer.Place(access, access.Database, in key, Entry.Entry, deadlineMs);
        Entry.Forget();
    }

    /// <summary>Gives up a value that was not stored; does nothing where it was.</summary>
    public void Discard() => Entry.Release(Keyspace.Blocks, Keyspace.Trees);

    // SAFETY: the payload has the size of a word.
    private void SetWord(KeyEncoding encoding, nint word)
    {
        EntryValue.SetWord(Entry.Begin(KeyType.String, KeyEncoding.Raw, sizeof(long)), 0, word);
        Entry.Resize(0, encoding);
    }
}

using Cinnabar.Resp;
using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Hashes;

namespace Cinnabar.Keyspace.Entries;

/// <summary>A look at an entry, valid until the next change to the stripe: what commands read.</summary>
public readonly unsafe ref struct EntryView
{
    // SAFETY: an execution makes views only of live entries of stripes that it has locked, and drops them
    // with the lock.
    private readonly byte* _entry;

    internal EntryView(byte* entry) => _entry = entry;

    /// <summary>Whether there is no such key.</summary>
    public bool IsMissing => _entry == null;

    /// <summary>The data type.</summary>
    public KeyType Type => KeyEntry.Type(_entry);

    /// <summary>How the value is stored.</summary>
    public KeyEncoding Encoding => KeyEntry.Encoding(_entry);

    /// <summary>Deadline in Unix milliseconds; −1 where there is none.</summary>
    public long DeadlineMs => KeyEntry.HasDeadline(_entry) ? KeyEntry.Deadline(_entry) : -1;

    /// <summary>The key's name.</summary>
    public ReadOnlySpan<byte> Key => KeyEntry.KeySpan(_entry);

    /// <summary>The access clock: 24 bits of seconds.</summary>
    public uint AccessClock => KeyEntry.AccessClock(_entry);

    /// <summary>Seconds since the last access at an instant, Unix milliseconds: 24 bits, as the clock
    /// has.</summary>
    public long IdleSeconds(long nowMs) => ((uint)(nowMs / 1000) - AccessClock) & 0xFFFFFF;

    /// <summary>The integer of an <see cref="KeyEncoding.Int"/> value.</summary>
    public long Integer => Unsafe.ReadUnaligned<long>(KeyEntry.Value(_entry));

    /// <summary>Bytes that an entry takes in a bucket of the table: its slot and its tag.</summary>
    public const int SlotBytes = 9;

    /// <summary>Bytes that key and value occupy in the stripe's arena and in block trees, with their
    /// headers.</summary>
    public long MemoryUsage => (long)Cinnabar.Memory.Arena.BlockSize(KeyEntry.Size(_entry))
        + EntryValue.MemoryBytes(_entry);

    /// <summary>The string, to be read.</summary>
    public StringView String => new(_entry);

    /// <summary>The list, to be read.</summary>
    public ListView List => new(_entry);

    /// <summary>The bytes of a string that lies inside the entry (embstr and raw).</summary>
    public ReadOnlySpan<byte> InlineBytes => new(KeyEntry.Value(_entry), KeyEntry.InlineLength(_entry));

    /// <summary>The length of a string in bytes.</summary>
    public long StringLength => Encoding switch
    {
        KeyEncoding.Int => RedisNumber.LengthOfInt64(Integer),
        KeyEncoding.Blocks => BlockString.Length,
        _ => KeyEntry.InlineLength(_entry),
    };

    /// <summary>
    /// The bytes of a string from an offset on, as many as are contiguous, where it is no
    /// <see cref="KeyEncoding.Int"/>.
    /// </summary>
    public ReadOnlySpan<byte> BytesAt(long offset) =>
        Encoding == KeyEncoding.Blocks ? BlockString.SpanAt(offset) : InlineBytes[(int)offset..];

    /// <summary>The address, for OBJECT-like diagnostics only.</summary>
    public ulong Address => (ulong)_entry;

    /// <summary>
    /// Finds the members by their hashes of a set, a hash or a sorted set that is stored as a tree; valid as
    /// long as this view.
    /// </summary>
    public bool TryPages(out HashPages pages) => EntryValue.TryPages(_entry, out pages);

    internal byte* Entry => _entry;

    /// <summary>The block tree of an <see cref="KeyEncoding.Blocks"/> value; the reference stays the
    /// entry's.</summary>
    public BlockString BlockString =>
        BlockString.FromAddress(Unsafe.ReadUnaligned<nint>(KeyEntry.Value(_entry)));
}

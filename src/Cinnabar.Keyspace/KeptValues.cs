// A command that reads a big value for long needs neither its key nor its stripe: values of more than a few
// kilobytes are trees (PageTree, BlockString) whose blocks are reference-counted and copied by a writer. So
// an entry is copied without its name, with a reference of its own to what lies outside of it, and the
// command reads the copy: the value at that moment, whatever happens to the key.
//
// It costs a copy of the payload (one or two words for a tree, up to 64 KiB for a value inside its entry),
// and for a writer that changes the value meanwhile a copy of each block that it changes.

using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Values of keys as they were at a moment, for one execution.</summary>
public sealed unsafe class KeptValues(Keyspace keyspace)
{
    private readonly Keyspace _keyspace = keyspace;
    private readonly Dictionary<nint, nint> _copies = [];
    private readonly Dictionary<int, nint> _places = [];

    /// <summary>Keeps an entry's value, or that there is none.</summary>
    /// <param name="place">The argument that named it.</param>
    /// <param name="entry">Of a stripe that the execution has locked.</param>
    /// <returns>An entry without a name, valid until <see cref="Release"/>; the same one for the same
    /// place.</returns>
    public EntryView Keep(int place, EntryView entry)
    {
        if (entry.IsMissing)
        {
            _places[place] = 0;
            return entry;
        }

        if (!_copies.TryGetValue((nint)entry.Entry, out nint copy))
        {
            copy = (nint)Copy(entry.Entry);
            _copies.Add((nint)entry.Entry, copy);
        }

        _places[place] = copy;
        return new EntryView((byte*)copy);
    }

    /// <summary>What was kept of the key that an argument named.</summary>
    public EntryView At(int place)
    {
        Debug.Assert(_places.ContainsKey(place), "what this argument names was not kept");
        return new EntryView((byte*)_places[place]);
    }

    /// <summary>Whether a key still has the value that was kept of it. A changed tree has another address,
    /// because this one is retained.</summary>
    /// <param name="place">The argument that names the key.</param>
    /// <param name="now">What it has now; its stripe is locked.</param>
    public bool IsCurrent(int place, EntryView now)
    {
        EntryView kept = At(place);
        return kept.IsMissing || now.IsMissing
            ? kept.IsMissing && now.IsMissing
            : kept.Type == now.Type && kept.Encoding == now.Encoding
                && PayloadOf(kept.Entry).SequenceEqual(PayloadOf(now.Entry));
    }

    /// <summary>Gives up all that was kept. On any thread.</summary>
    public void Release()
    {
        foreach (nint address in _copies.Values)
        {
            var copy = (byte*)address;
            EntryValue.Release(copy, _keyspace.Blocks, _keyspace.Trees);
            NativeMemory.Free(copy);
        }

        _copies.Clear();
        _places.Clear();
    }

    private static ReadOnlySpan<byte> PayloadOf(byte* entry) =>
        new(KeyEntry.Value(entry), KeyEntry.PayloadSize(entry));

    // SAFETY: the caller holds the stripe of the entry; the copy has room for just that header and payload.
    private static byte* Copy(byte* entry)
    {
        var copy = (byte*)NativeMemory.Alloc(
            KeyEntry.SizeOf(0, KeyEntry.PayloadSize(entry), KeyEntry.HasDeadline(entry)));
        EntryValue.Copy(entry, copy, name: default);
        return copy;
    }
}

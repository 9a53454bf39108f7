using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Keyspace.Streams;

/// <summary>Streams in entries: the payload is one word, the address of the stream's root.</summary>
// SAFETY: views and slots are of stripes that the execution has locked.
public static unsafe class StreamStore
{
    /// <summary>The stream of an entry, to be read.</summary>
    public static StreamTree Of(EntryView entry) =>
        StreamTree.FromAddress(EntryValue.Word(KeyEntry.Value(entry.Entry), 0));

    /// <summary>The stream of an entry, to be changed; announces the change.</summary>
    public static StreamEditor Edit(ValueSlot slot)
    {
        slot.BeginChange();
        return new StreamEditor(slot.Payload, slot.Keyspace.Trees);
    }

    /// <summary>Makes a key with an empty stream, in place of whatever the key has.</summary>
    public static StreamEditor Create(KeyspaceAccess keys, scoped in Key key)
    {
        CollectionLimits limits = keys.Keyspace.Limits;
        StreamTree stream = StreamTree.Create(keys.Keyspace.Trees);
        try
        {
            StreamProducers.Begin(ref stream, keys.Keyspace.Trees, (int)limits.StreamIdmpDurationSeconds,
                (int)limits.StreamIdmpCountMax);
            ValueSlot slot = keys.CreateValue(in key, KeyType.Stream, KeyEncoding.Stream, sizeof(nint));
            EntryValue.SetWord(slot.Payload, 0, stream.Address);
            return new StreamEditor(slot.Payload, keys.Keyspace.Trees);
        }
        catch (OutOfMemoryException)
        {
            stream.Release(keys.Keyspace.Trees);
            throw;
        }
    }
}

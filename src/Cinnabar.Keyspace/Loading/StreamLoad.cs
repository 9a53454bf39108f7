using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a stream.</summary>
// SAFETY: the payload is the word of a stream, which the constructor has made.
public readonly unsafe ref struct StreamLoad
{
    private readonly LoadedValue _value;

    /// <summary>Begins an empty stream.</summary>
    public StreamLoad(LoadedValue value)
    {
        _value = value;
        StreamTree stream = StreamTree.Create(Trees);
        EntryValue.SetWord(value.Entry.Begin(KeyType.Stream, KeyEncoding.Raw, sizeof(nint)), 0,
            stream.Address);
        value.Entry.Resize(sizeof(nint), KeyEncoding.Stream);
        CollectionLimits limits = value.Limits;
        StreamProducers.Begin(ref Stream, Trees, (int)limits.StreamIdmpDurationSeconds,
            (int)limits.StreamIdmpCountMax);
    }

    /// <summary>Where the stream's memory comes from.</summary>
    public TreeSource Trees => _value.Keyspace.Trees;

    /// <summary>The stream, in place.</summary>
    public ref StreamTree Stream => ref *(StreamTree*)_value.Entry.Payload;

    /// <summary>Sets for how many seconds, and how many IDs, the stream remembers producers: as its own
    /// where that is not what is configured.</summary>
    public void ConfigureProducers(int seconds, int countMax)
    {
        CollectionLimits limits = _value.Limits;
        if (seconds != limits.StreamIdmpDurationSeconds || countMax != limits.StreamIdmpCountMax)
            StreamProducers.Configure(ref Stream, Trees, seconds, countMax);
    }
}

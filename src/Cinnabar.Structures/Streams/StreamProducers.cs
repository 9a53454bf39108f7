// Idempotent entries: a producer gives each entry an ID of its own, and a stream that has seen the ID replies
// the entry that it added then. A stream remembers a number of IDs of each producer, for some time, in its
// tree of producers:
//
//   owner 0                      producer's name -> its number
//   owner producer               the ID          -> entry's ID, when it was added
//   owner producer + top bit     entry's ID, big-endian -> the ID: the oldest comes first
//
// IDs that are too old or too many are dropped when the producer adds its next entry; each addition looks at
// one more producer, too, so that inactive producers are dropped as well. Source: the documentation of XADD
// and XCFGSET (Redis 8.6).
using System.Buffers.Binary;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: the root that Own returns is the stream's alone until it is shared again.
/// <summary>What producers have added to a stream.</summary>
public static unsafe class StreamProducers
{
    private const ulong ByAge = 1UL << 63;
    private const int AgeSize = 16;

    /// <summary>For how many seconds the stream remembers.</summary>
    public static long SecondsOf(StreamTree stream) => stream.Root->IdempotencySeconds;

    /// <summary>How many IDs of a producer the stream remembers.</summary>
    public static long CountMaxOf(StreamTree stream) => stream.Root->IdempotencyCountMax;

    /// <summary>Whether a producer has ever added to the stream, or it was configured for them.</summary>
    public static bool AreUsed(StreamTree stream) => stream.Root->UsesIdempotency;

    /// <summary>Producers that are remembered.</summary>
    public static long CountOf(StreamTree stream) => stream.Root->ProducerCount;

    /// <summary>IDs of producers that are remembered.</summary>
    public static long IdCountOf(StreamTree stream) => stream.Root->IdempotentCount;

    /// <summary>Entries that were ever added with an ID.</summary>
    public static long AddedOf(StreamTree stream) => stream.Root->IdempotentAdded;

    /// <summary>How often an ID came again.</summary>
    public static long DuplicatesOf(StreamTree stream) => stream.Root->IdempotentDuplicates;

    /// <summary>Finds the entry that a producer added with an ID, not before a time in Unix
    /// milliseconds.</summary>
    public static bool TryFind(
        StreamTree stream, ReadOnlySpan<byte> producer, ReadOnlySpan<byte> id, long sinceMs,
        out StreamId entry)
    {
        entry = default;
        if (!TryNumberOf(stream.Root, producer, out ulong number)) return false;
        if (!stream.Root->Producers.TryFind(number, id, out ReadOnlySpan<byte> value)) return false;
        Added added = MemoryMarshal.Read<Added>(value);
        entry = added.Entry;
        return added.AddedMs >= sinceMs;
    }

    /// <summary>Counts an ID that came again.</summary>
    public static void NoteDuplicate(ref StreamTree stream, TreeSource source)
    {
        Debug.Assert(AreUsed(stream), "an ID that came before");
        stream.Own(source)->IdempotentDuplicates++;
    }

    /// <summary>Remembers an entry, and forgets what is too old or too much.</summary>
    public static void Add(
        ref StreamTree stream, TreeSource source, ReadOnlySpan<byte> producer, ReadOnlySpan<byte> id,
        in StreamIdempotency added)
    {
        StreamRoot* root = stream.Own(source);
        MarkUsed(root, source);
        ulong number = NumberOf(root, source, producer);
        // An ID that is too old to count makes room for itself.
        if (root->Producers.TryFind(number, id, out ReadOnlySpan<byte> value))
            Forget(root, source, number, MemoryMarshal.Read<Added>(value).Entry);
        Span<byte> age = stackalloc byte[AgeSize];
        WriteAge(added.Entry, age);
        root->Producers.Insert(source, number | ByAge, age, id);
        root->Producers.Insert(source, number, id, Bytes(new Added(added.Entry, added.NowMs)));
        root->IdempotentCount++;
        root->IdempotentAdded++;
        Tidy(root, source, number, in added);
        TidyOther(root, source, in added);
    }

    /// <summary>Remembers an ID from a dump; false: the producer has it already. Nothing is forgotten for
    /// it.</summary>
    public static bool TryRestore(
        ref StreamTree stream, TreeSource source, ReadOnlySpan<byte> producer, ReadOnlySpan<byte> id,
        StreamId entry)
    {
        StreamRoot* root = stream.Own(source);
        MarkUsed(root, source);
        ulong number = NumberOf(root, source, producer);
        Span<byte> age = stackalloc byte[AgeSize];
        WriteAge(entry, age);
        if (root->Producers.TryFind(number, id, out _) || root->Producers.TryFind(number | ByAge, age, out _))
            return false;
        root->Producers.Insert(source, number | ByAge, age, id);
        // A dump has no times: the entry's is the best there is.
        long addedMs = (long)Math.Min(entry.Ms, long.MaxValue);
        root->Producers.Insert(source, number, id, Bytes(new Added(entry, addedMs)));
        root->IdempotentCount++;
        return true;
    }

    /// <summary>Sets the figures of a stream from a dump.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="source">The server's source of trees.</param>
    /// <param name="added">Entries that were ever added with an ID.</param>
    /// <param name="duplicates">How often an ID came again.</param>
    public static void SetFigures(ref StreamTree stream, TreeSource source, long added, long duplicates)
    {
        StreamRoot* root = stream.Own(source);
        root->IdempotentAdded = added;
        root->IdempotentDuplicates = duplicates;
        if (added != 0 || duplicates != 0) MarkUsed(root, source);
    }

    /// <summary>Sets for how many seconds, and how many IDs, a new stream remembers.</summary>
    public static void Begin(ref StreamTree stream, TreeSource source, int seconds, int countMax)
    {
        StreamRoot* root = stream.Own(source);
        root->IdempotencySeconds = seconds;
        root->IdempotencyCountMax = countMax;
    }

    /// <summary>Sets for how many seconds, or how many IDs, the stream remembers, 0 where that stays; forgets
    /// all where one of them was another.</summary>
    public static void Configure(ref StreamTree stream, TreeSource source, int seconds, int countMax)
    {
        StreamRoot* root = stream.Own(source);
        MarkUsed(root, source);
        if (seconds == 0) seconds = root->IdempotencySeconds;
        if (countMax == 0) countMax = root->IdempotencyCountMax;
        if (seconds == root->IdempotencySeconds && countMax == root->IdempotencyCountMax) return;
        root->IdempotencySeconds = seconds;
        root->IdempotencyCountMax = countMax;
        root->Producers.Release(source);
        root->Producers = default;
        root->ProducerCount = 0;
        root->IdempotentCount = 0;
    }

    /// <summary>A walk through the producers, by name.</summary>
    public static StreamProducerCursor Producers(StreamTree stream) => new(in stream.Root->Producers);

    /// <summary>The owner of a producer's IDs by age.</summary>
    internal static ulong AgesOf(ulong number) => number | ByAge;

    private static void MarkUsed(StreamRoot* root, TreeSource source)
    {
        if (root->UsesIdempotency) return;
        root->UsesIdempotency = true;
        source.CountIdempotentRoot(1);
    }

    // The number of a producer, which gets one if it has none.
    private static ulong NumberOf(StreamRoot* root, TreeSource source, ReadOnlySpan<byte> producer)
    {
        if (TryNumberOf(root, producer, out ulong number)) return number;
        number = root->LastNumber + 1;
        root->Producers.Insert(source, 0, producer, Bytes(in number));
        root->LastNumber++;
        root->ProducerCount++;
        return number;
    }

    private static bool TryNumberOf(StreamRoot* root, ReadOnlySpan<byte> producer, out ulong number)
    {
        bool isThere = root->Producers.TryFind(0, producer, out ReadOnlySpan<byte> value);
        number = isThere ? MemoryMarshal.Read<ulong>(value) : 0;
        return isThere;
    }

    private static void Tidy(StreamRoot* root, TreeSource source, ulong number, in StreamIdempotency added)
    {
        while (true)
        {
            ref readonly NameTree producers = ref root->Producers;
            long count = producers.CountBefore(number + 1, default) - producers.CountBefore(number, default);
            if (count == 0) return;
            var cursor = new NameCursor(in producers, number | ByAge, default);
            if (!cursor.MoveNext()) throw new InvalidOperationException("an entry of no age");
            if (!producers.TryFind(number, cursor.Value, out ReadOnlySpan<byte> value))
                throw new InvalidOperationException("an entry of no producer");
            Added oldest = MemoryMarshal.Read<Added>(value);
            if (count <= added.CountMax && oldest.AddedMs >= added.SinceMs) return;
            Forget(root, source, number, oldest.Entry);
        }
    }

    // The producers come first in their tree; one after the other is looked at.
    private static void TidyOther(StreamRoot* root, TreeSource source, in StreamIdempotency added)
    {
        long rank = root->IdempotentAdded % root->ProducerCount;
        ulong number = MemoryMarshal.Read<ulong>(root->Producers.ValueAt(rank, out ReadOnlySpan<byte> name));
        Tidy(root, source, number, in added);
        ref readonly NameTree producers = ref root->Producers;
        if (producers.CountBefore(number + 1, default) != producers.CountBefore(number, default)) return;
        // The name lies in the page that is about to change.
        Span<byte> copy = name.Length <= 256 ? stackalloc byte[name.Length] : new byte[name.Length];
        root->Producers.ValueAt(rank, out name);
        name.CopyTo(copy);
        root->Producers.Remove(source, 0, copy);
        root->ProducerCount--;
    }

    private static void Forget(StreamRoot* root, TreeSource source, ulong number, StreamId entry)
    {
        Span<byte> age = stackalloc byte[AgeSize];
        WriteAge(entry, age);
        if (!root->Producers.TryFind(number | ByAge, age, out ReadOnlySpan<byte> id)) return;
        byte[] copy = id.ToArray();
        root->Producers.Remove(source, number, copy);
        root->Producers.Remove(source, number | ByAge, age);
        root->IdempotentCount--;
    }

    internal static StreamId ReadAge(ReadOnlySpan<byte> age) => new(
        BinaryPrimitives.ReadUInt64BigEndian(age),
        BinaryPrimitives.ReadUInt64BigEndian(age[sizeof(ulong)..]));

    private static void WriteAge(StreamId entry, Span<byte> age)
    {
        BinaryPrimitives.WriteUInt64BigEndian(age, entry.Ms);
        BinaryPrimitives.WriteUInt64BigEndian(age[sizeof(ulong)..], entry.Sequence);
    }

    private static ReadOnlySpan<byte> Bytes<T>(in T value) where T : unmanaged =>
        MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value));

    private readonly record struct Added(StreamId Entry, long AddedMs);
}

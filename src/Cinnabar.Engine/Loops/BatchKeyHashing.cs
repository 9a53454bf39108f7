// The hashes of a batch's keys. SipHash is a chain of dependent steps, so four keys of one length are hashed
// side by side; a key that equals the one before it (a pipeline on one collection) is not hashed again.

using Cinnabar.Structures.Hashing;

namespace Cinnabar.Engine.Loops;

/// <summary>Hashes the first keys of a batch's commands, as many at a time as there are lanes.</summary>
internal sealed unsafe class BatchKeyHashing(Keyspace.Keyspace keyspace)
{
    private readonly Keyspace.Keyspace _keyspace = keyspace;

    /// <summary>Hashes the first keys of a batch's commands and marks those that repeat the key before
    /// them.</summary>
    /// <param name="batch">The commands.</param>
    /// <param name="arguments">What their keys are indexes of; receives the hashes.</param>
    // SAFETY: keys lie in inputs, which stay where they are until the batch has been executed; the buffer of
    // arguments does not grow meanwhile.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Run(Span<BatchCommand> batch, Argument* arguments)
    {
        byte** keys = stackalloc byte*[SipHash.LaneCount];
        Argument** lanes = stackalloc Argument*[SipHash.LaneCount];
        ulong* hashes = stackalloc ulong[SipHash.LaneCount];
        int laneCount = 0;
        Argument* last = null;
        int lastDatabase = 0;
        foreach (ref BatchCommand command in batch)
        {
            if (command.Database < 0)
                continue;
            Argument* key = arguments + command.Key;
            command.IsRepeat = last != null && command.Database == lastDatabase && AreEqual(key, last);
            if (command.IsRepeat)
                continue;
            if (laneCount > 0 && key->Length != last->Length)
            {
                HashEach(lanes, laneCount);
                laneCount = 0;
            }

            last = key;
            lastDatabase = command.Database;
            keys[laneCount] = key->Data;
            lanes[laneCount++] = key;
            if (laneCount < SipHash.LaneCount)
                continue;
            _keyspace.HashLanes(keys, key->Length, hashes);
            for (int lane = 0; lane < SipHash.LaneCount; lane++)
                lanes[lane]->Hash = hashes[lane];
            laneCount = 0;
        }

        HashEach(lanes, laneCount);
    }

    private void HashEach(Argument** keys, int count)
    {
        for (int index = 0; index < count; index++)
            keys[index]->Hash = _keyspace.Hash(keys[index]->Span);
    }

    // SAFETY: the words that are read lie within keys of so many bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool AreEqual(Argument* key, Argument* other)
    {
        int length = key->Length;
        const int half = sizeof(uint);
        const int word = sizeof(ulong);
        if (length != other->Length)
            return false;
        // Keys of a kind mostly differ in their last bytes.
        if (length >= word)
            return Long(key->Data + length - word) == Long(other->Data + length - word)
                && (length <= 2 * word ? Long(key->Data) == Long(other->Data)
                    : key->Span.SequenceEqual(other->Span));
        return length >= half
            ? Int(key->Data) == Int(other->Data)
                && Int(key->Data + length - half) == Int(other->Data + length - half)
            : key->Span.SequenceEqual(other->Span);

        static ulong Long(byte* place) => Unsafe.ReadUnaligned<ulong>(place);
        static uint Int(byte* place) => Unsafe.ReadUnaligned<uint>(place);
    }
}

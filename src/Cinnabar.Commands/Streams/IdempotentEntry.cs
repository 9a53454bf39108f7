// The producer's ID of an entry: given with IDMP, or with IDMPAUTO made of its fields and values, whatever
// their order. Such an ID is the sum of the pairs' hashes, 128 bits of two SipHashes. Their keys are no
// secret, since the ID must be the same tomorrow: a client that makes two entries collide
// harms only itself, since producers do not share their IDs.

using System.Buffers.Binary;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>An entry that is added only if its producer has not added it yet.</summary>
internal readonly ref struct IdempotentEntry(Execution execution, in TrimOptions options, int fieldIndex)
{
    private const int AutoSize = 16;
    private const long MsPerSecond = 1000;

    private static readonly HashSeed s_firstSeed = new(0x7365_6D69_7265_6469, 0x6E65_746F_706D_6575);
    private static readonly HashSeed s_secondSeed = new(0x616E_6E69_6261_7200, 0x7374_7265_616D_7300);

    private readonly Execution _execution = execution;
    private readonly int _producerIndex = options.ProducerIndex;
    private readonly int _fieldIndex = fieldIndex;
    private readonly bool _isAuto = options.IsIdempotentAuto;

    /// <summary>Replies the entry's ID where its producer has added it already.</summary>
    internal bool TryReplyKnown(StreamEditor editor)
    {
        if (_producerIndex == 0) return false;
        Span<byte> auto = stackalloc byte[AutoSize];
        bool isKnown = StreamProducers.TryFind(editor.Stream, _execution.Argument(_producerIndex), IdOf(auto),
            SinceMs(editor.Stream), out StreamId entry);
        if (!isKnown) return false;
        StreamProducers.NoteDuplicate(ref editor.Stream, editor.Trees);
        _execution.Keys.Changed(_execution.Key(1), KeyEvent.Rewritten);
        // Whether a replay found the entry would depend on the time.
        if (_execution.Effects.IsRecording)
            _execution.Effects.Replace();
        StreamIdText.Reply(_execution, entry);
        return true;
    }

    /// <summary>Remembers the entry, which was added.</summary>
    internal void Remember(StreamEditor editor, StreamId entry)
    {
        if (_producerIndex == 0) return;
        Span<byte> auto = stackalloc byte[AutoSize];
        var added = new StreamIdempotency(
            entry, _execution.NowMs, SinceMs(editor.Stream), StreamProducers.CountMaxOf(editor.Stream));
        StreamProducers.Add(ref editor.Stream, editor.Trees, _execution.Argument(_producerIndex), IdOf(auto),
            in added);
    }

    private long SinceMs(StreamTree stream) =>
        _execution.NowMs - StreamProducers.SecondsOf(stream) * MsPerSecond;

    private ReadOnlySpan<byte> IdOf(Span<byte> auto)
    {
        Debug.Assert((_execution.ArgumentCount - _fieldIndex) % 2 == 0, "a field has a value");
        if (!_isAuto) return _execution.Argument(_producerIndex + 1);
        ulong first = 0;
        ulong second = 0;
        for (int index = _fieldIndex; index < _execution.ArgumentCount; index += 2)
        {
            first += HashOfPair(index, in s_firstSeed);
            second += HashOfPair(index, in s_secondSeed);
        }
        BinaryPrimitives.WriteUInt64LittleEndian(auto, first);
        BinaryPrimitives.WriteUInt64LittleEndian(auto[sizeof(ulong)..], second);
        return auto;
    }

    private ulong HashOfPair(int index, in HashSeed seed)
    {
        Span<byte> hashes = stackalloc byte[AutoSize];
        ulong field = SipHash.Hash(_execution.Argument(index), in seed);
        ulong value = SipHash.Hash(_execution.Argument(index + 1), in seed);
        BinaryPrimitives.WriteUInt64LittleEndian(hashes, field);
        BinaryPrimitives.WriteUInt64LittleEndian(hashes[sizeof(ulong)..], value);
        return SipHash.Hash(hashes, in seed);
    }
}

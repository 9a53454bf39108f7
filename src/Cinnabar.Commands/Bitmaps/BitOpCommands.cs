using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Structures.Bits;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>Operations on whole bitmaps: BITOP.</summary>
public static class BitOpCommands
{
    private const int TargetIndex = 2;

    /// <summary>BITOP AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE destkey key [key ...].</summary>
    public static Outcome BitOp(Execution execution)
    {
        if (!TryReadOperator(execution, out BitOperator bitOperator)
            || !TryMeasure(execution, out long length, out long workNs))
            return Outcome.Done;
        if (execution.MustLeaveKeys(workNs))
            return execution.StoreLater(new Steps(bitOperator));
        if (length <= StringStore.InlineLengthMax)
            StoreInline(execution, bitOperator, (int)length);
        else
            Store(execution, Combine(execution, bitOperator, length));
        return Outcome.Done;
    }

    private static bool TryReadOperator(Execution execution, out BitOperator bitOperator)
    {
        if (!TryParse(execution.Argument(1), out bitOperator))
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        int sourceCount = execution.ArgumentCount - BitSources.FirstIndex;
        if (bitOperator == BitOperator.Not && sourceCount != 1)
        {
            execution.Reply.Error("ERR BITOP NOT must be called with a single source key."u8);
            return false;
        }

        ReadOnlySpan<byte> name = bitOperator switch
        {
            BitOperator.Diff => "DIFF"u8,
            BitOperator.Diff1 => "DIFF1"u8,
            BitOperator.AndOr => "ANDOR"u8,
            _ => default,
        };
        if (name.IsEmpty || sourceCount >= 2)
            return true;
        execution.Reply.Error("ERR BITOP "u8, name, " must be called with at least two source keys."u8);
        return false;
    }

    private static bool TryParse(ReadOnlySpan<byte> word, out BitOperator bitOperator)
    {
        for (bitOperator = BitOperator.And; bitOperator <= BitOperator.One; bitOperator++)
        {
            if (Ascii.EqualsIgnoreCase(word, WordOf(bitOperator)))
                return true;
        }

        return false;
    }

    private static ReadOnlySpan<byte> WordOf(BitOperator bitOperator) => bitOperator switch
    {
        BitOperator.And => "and"u8,
        BitOperator.Or => "or"u8,
        BitOperator.Xor => "xor"u8,
        BitOperator.Not => "not"u8,
        BitOperator.Diff => "diff"u8,
        BitOperator.Diff1 => "diff1"u8,
        BitOperator.AndOr => "andor"u8,
        _ => "one"u8,
    };

    /// <summary>
    /// The length of the result and an estimate of the work; replies the error where a source is no string.
    /// </summary>
    private static bool TryMeasure(Execution execution, out long length, out long workNs)
    {
        length = 0;
        workNs = 0;
        long byteCount = 0;
        for (int index = BitSources.FirstIndex; index < execution.ArgumentCount; index++)
        {
            if (!execution.TryFindStringKept(index, out EntryView entry))
                return false;
            if (entry.IsMissing)
                continue;
            length = Math.Max(length, entry.StringLength);
            byteCount += entry.StringLength;
        }

        workNs = BitRange.CostNs(byteCount + length);
        return true;
    }

    // The target may be a source, so it changes only when the whole result is there.
    private static void StoreInline(Execution execution, BitOperator bitOperator, int length)
    {
        Span<byte> result = stackalloc byte[length];
        var sources = new BitSources(execution, stackalloc byte[RedisNumber.Int64BytesMax]);
        if (length > 0)
            BitCombine.Combine(bitOperator, ref sources, 0, result);
        Store(execution, result);
    }

    private static BlockString Combine(Execution execution, BitOperator bitOperator, long length)
    {
        Debug.Assert(length > 0, "nothing is combined");
        BlockSource blocks = execution.Keys.Keyspace.Blocks;
        BlockString result = BlockString.CreateZero(blocks, length);
        var sources = new BitSources(execution, stackalloc byte[RedisNumber.Int64BytesMax]);
        for (long offset = 0; offset < length;)
        {
            Span<byte> piece = result.WritableSpanAt(blocks, offset);
            BitCombine.Combine(bitOperator, ref sources, offset, piece);
            offset += piece.Length;
        }

        return result;
    }

    // A short result, which may be none.
    private static void Store(Execution execution, ReadOnlySpan<byte> result)
    {
        Debug.Assert(result.Length <= StringStore.InlineLengthMax, "a long value is in blocks");
        Key target = execution.Key(TargetIndex);
        if (result.Length > 0)
        {
            execution.Strings.SetRaw(in target, result, StringStore.NoDeadline, isEmbstrAllowed: false);
            execution.Keys.Changed(in target, KeyEvent.Set);
        }
        else if (execution.Keys.Remove(in target))
        {
            execution.Keys.Changed(in target, KeyEvent.Deleted);
        }

        Record(execution);
        execution.Reply.Integer(result.Length);
    }

    // A long one, which goes to the key.
    private static void Store(Execution execution, BlockString result)
    {
        Debug.Assert(result.Length > StringStore.InlineLengthMax, "a short value lies in its entry");
        Key target = execution.Key(TargetIndex);
        execution.Strings.SetBlocks(in target, result, StringStore.NoDeadline);
        execution.Keys.Changed(in target, KeyEvent.Set);
        Record(execution);
        execution.Reply.Integer(result.Length);
    }

    // Redis before 8.2 knows four operators.
    private static void Record(Execution execution)
    {
        if (execution.Effects is not { IsRecording: true, Level: < CommandLevel.Newest }
            || execution.Is(1, "and"u8) || execution.Is(1, "or"u8) || execution.Is(1, "xor"u8)
            || execution.Is(1, "not"u8) || execution.Keys.ChangeCount == 0)
            return;
        Key target = execution.Key(TargetIndex);
        EntryView entry = execution.Keys.Peek(in target);
        if (entry.IsMissing)
            execution.Effects.Begin("DEL"u8).End(target.Span);
        else
            execution.Effects.Begin("SET"u8).With(target.Span).With(entry.String).End();
    }

    private sealed class Steps(BitOperator bitOperator) : StoreSteps
    {
        private BlockSource? _blocks;
        private BlockString _value;

        public override bool TryBuild(Execution execution)
        {
            Debug.Assert(_value.IsNull, "a result is built once");
            if (!TryMeasure(execution, out long length, out _))
                return false;
            _blocks = execution.Keys.Keyspace.Blocks;
            if (length > 0)
                _value = Combine(execution, bitOperator, length);
            return true;
        }

        public override void Store(Execution execution)
        {
            long length = _value.IsNull ? 0 : _value.Length;
            if (length <= StringStore.InlineLengthMax)
            {
                BitOpCommands.Store(execution, length == 0 ? default : _value.SpanAt(0));
                return;
            }

            BlockString value = _value;
            _value = default;
            BitOpCommands.Store(execution, value);
        }

        public override void Drop()
        {
            if (!_value.IsNull)
                _value.Release(_blocks!);
            _value = default;
        }
    }
}

using System.Buffers;
using System.Buffers.Text;
using System.Runtime.Intrinsics;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Commands.HyperLogLogs;

/// <summary>Commands that look into HyperLogLogs: PFDEBUG.</summary>
public static class HyperLogLogDebugCommands
{
    private const int RunTextSizeMax = 24;

    /// <summary>PFDEBUG subcommand key, or PFDEBUG SIMD ON | OFF.</summary>
    public static void PfDebug(Execution execution)
    {
        if (execution.Is(1, "simd"u8))
        {
            ReplySimd(execution);
            return;
        }

        Key key = execution.Key(2);
        EntryView entry = execution.Keys.FindForWrite(in key);
        if (entry.IsMissing)
        {
            execution.Reply.Error("ERR The specified key does not exist"u8);
            return;
        }

        if (!HyperLogLogValues.IsHyperLogLog(execution, entry))
            return;
        entry = HyperLogLogValues.MakeRaw(execution, in key, entry);
        if (execution.Is(1, "getreg"u8))
            ReplyRegisters(execution);
        else if (execution.Is(1, "decode"u8))
            ReplyRuns(execution, entry);
        else if (execution.Is(1, "encoding"u8))
            ReplyEncoding(execution, entry);
        else if (execution.Is(1, "todense"u8))
            MakeDense(execution);
        else
            execution.Reply.Error("ERR Unknown PFDEBUG subcommand '"u8, execution.Argument(1), "'"u8);
    }

    // Registers are packed and merged in one way only, with vectors where the processor has them.
    private static void ReplySimd(Execution execution)
    {
        if (execution.Is(2, "on"u8) || execution.Is(2, "off"u8))
            execution.Reply.SimpleString(Vector128.IsHardwareAccelerated ? "enabled"u8 : "disabled"u8);
        else
            execution.Reply.Error("ERR Argument must be ON or OFF"u8);
    }

    private static void ReplyEncoding(Execution execution, EntryView entry)
    {
        Span<byte> head = stackalloc byte[HyperLogLog.HeaderSize];
        ReadOnlySpan<byte> value = HyperLogLogValues.BytesOrHead(entry, head);
        execution.Reply.SimpleString(HyperLogLog.IsDense(value) ? "dense"u8 : "sparse"u8);
    }

    private static void MakeDense(Execution execution)
    {
        if (TryMakeDense(execution, out bool wasSparse))
            execution.Reply.Integer(wasSparse ? 1 : 0);
    }

    // GETREG makes the value dense, too.
    private static void ReplyRegisters(Execution execution)
    {
        if (!TryMakeDense(execution, out _))
            return;
        byte[] registers = ArrayPool<byte>.Shared.Rent(HyperLogLog.RegisterCount);
        var union = new HyperLogLogUnion(registers);
        bool isAdded = union.TryAdd(execution.Keys.Peek(execution.Key(2)).InlineBytes);
        Debug.Assert(isAdded, "a value that was made dense is sound");
        execution.Reply.ArrayHeader(HyperLogLog.RegisterCount);
        foreach (byte register in union.Registers)
            execution.Reply.Integer(register);
        ArrayPool<byte>.Shared.Return(registers);
    }

    private static bool TryMakeDense(Execution execution, out bool wasSparse)
    {
        Key key = execution.Key(2);
        using var change = new HyperLogLogChange(execution, key);
        wasSparse = !change.IsDense;
        if (!wasSparse)
            return true;
        if (change.TryMakeDense())
        {
            execution.Keys.Changed(in key, KeyEvent.Rewritten);
            return true;
        }

        execution.Reply.Error(HyperLogLogValues.Corrupt);
        return false;
    }

    private static void ReplyRuns(Execution execution, EntryView entry)
    {
        Span<byte> head = stackalloc byte[HyperLogLog.HeaderSize];
        ReadOnlySpan<byte> value = HyperLogLogValues.BytesOrHead(entry, head);
        if (HyperLogLog.IsDense(value))
        {
            execution.Reply.Error("ERR HLL encoding is not sparse"u8);
            return;
        }

        byte[] text = ArrayPool<byte>.Shared.Rent(value.Length * RunTextSizeMax);
        int length = 0;
        var runs = SparseRuns.Of(value);
        while (runs.MoveNext())
        {
            if (length > 0)
                text[length++] = (byte)' ';
            // z: a short run of zeroes, Z: a long one, v: of a value.
            text[length++] = (byte)(runs.Value > 0 ? 'v' : runs.Size == 1 ? 'z' : 'Z');
            text[length++] = (byte)':';
            if (runs.Value > 0)
            {
                length += Write(runs.Value, text.AsSpan(length));
                text[length++] = (byte)',';
            }

            length += Write(runs.Length, text.AsSpan(length));
        }

        execution.Reply.Bulk(text.AsSpan(0, length));
        ArrayPool<byte>.Shared.Return(text);
    }

    private static int Write(int number, Span<byte> target)
    {
        bool isWritten = Utf8Formatter.TryFormat(number, target, out int size);
        Debug.Assert(isWritten, "there is room for every run");
        return size;
    }
}

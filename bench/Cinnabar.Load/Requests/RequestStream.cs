using System;
using System.Runtime.CompilerServices;
using Cinnabar.Platform;

namespace Cinnabar.Load.Requests;

/// <summary>
/// The requests of one client: where it is in the round of commands, in its keys, and in its random numbers.
///
/// Requests are written just before they are sent, into memory that all clients of a thread share and that
/// therefore stays in the processor's caches: the digits of their keys go into prepared batches, or, if
/// requests have several sizes, all is written piece by piece. That is cheaper than fetching a request built
/// long ago from memory, never repeats a sequence, and needs no memory a key.
/// </summary>
internal sealed unsafe class RequestStream
{
    private readonly RequestPlan _plan;
    private readonly KeySource[] _keys;
    private readonly int _keyWidth; // of all keys; 0 where they differ
    private RandomSource _random;
    private int _place;

    /// <summary>The requests of one of <paramref name="clientCount"/> clients.</summary>
    public RequestStream(RequestPlan plan, int client, int clientCount, ulong seed)
    {
        _plan = plan;
        _keyWidth = plan.Keys.IsFixedWidth ? plan.Keys.DigitCountMax : 0;
        _random = new RandomSource(seed);
        _keys = new KeySource[plan.Programs.Length];
        for (int command = 0; command < _keys.Length; command++)
            _keys[command] = new KeySource(plan.Keys, plan.Patterns[command], client, clientCount);
        KeyCount = KeySource.Share(plan.Keys.Count, client + 1, clientCount)
            - KeySource.Share(plan.Keys.Count, client, clientCount);
        Start = _place = plan.BeginsWithFirst ? 0 : (int)_random.NextBelow((ulong)plan.Cycle.Size);
    }

    /// <summary>The place in the round of commands at which this client begins.</summary>
    public int Start { get; }

    /// <summary>How many keys are this client's when all keys are shared out.</summary>
    public long KeyCount { get; }

    /// <summary>Writes the next requests; gives the end of what was written.</summary>
    // SAFETY: the buffer holds count requests of the plan's largest size.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public byte* Write(byte* target, int count)
    {
        CommandCycle cycle = _plan.Cycle;
        RequestProgram[] programs = _plan.Programs;
        for (; count > 0; count--)
        {
            int command = cycle[_place];
            if (++_place == cycle.Size) _place = 0;
            foreach (ref readonly Piece piece in programs[command].Pieces.AsSpan())
            {
                if (piece.Kind == PieceKind.Literal) target = Copy(target, piece.Bytes);
                else if (piece.Kind == PieceKind.Argument) target = WriteArgument(target, piece, command);
                else target = WriteValue(target, Draw(piece.Kind, command), piece.Kind);
            }
        }
        return target;
    }

    /// <summary>Draws the keys of the next requests into a batch that is prepared for them.</summary>
    // SAFETY: the holes lie within the batch, whose owner lives as long as the loop that calls this.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public PreparedBatch Fill(PreparedBatches batches)
    {
        PreparedBatch batch = batches[_place];
        byte* data = batch.Data;
        foreach (ref readonly BatchHole hole in batch.Holes.AsSpan())
            Digits.Write(data + hole.Offset, Draw(hole.Kind, hole.Command), hole.Size);
        _place = batch.End;
        return batch;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Copy(byte* target, byte[] bytes)
    {
        bytes.AsSpan().CopyTo(new Span<byte>(target, bytes.Length));
        return target + bytes.Length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long Draw(PieceKind kind, int command) => kind switch
    {
        PieceKind.Key => _keys[command].Next(ref _random),
        PieceKind.Data => _plan.Data.Next(ref _random),
        _ => _plan.Keys.Minimum + (long)_random.NextBelow((ulong)_plan.Keys.Count),
    };

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* WriteValue(byte* target, long drawn, PieceKind kind)
    {
        if (kind == PieceKind.Data)
        {
            Unsafe.CopyBlockUnaligned(target, _plan.Pool.Next(ref _random), (uint)drawn);
            return target + drawn;
        }
        int size = SizeOf(drawn, kind);
        Digits.Write(target, drawn, size);
        return target + size;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int SizeOf(long drawn, PieceKind kind) => kind switch
    {
        PieceKind.Data => (int)drawn,
        PieceKind.Number => RequestProgram.NumberSize,
        _ => _keyWidth != 0 ? _keyWidth : Math.Max(_plan.Keys.Width, Digits.Count(drawn)),
    };

    // An argument of any size: first all is drawn, then its length is written, then itself.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private byte* WriteArgument(byte* target, in Piece argument, int command)
    {
        long* drawn = stackalloc long[RequestProgram.DrawCountMax];
        int count = 0;
        int size = 0;
        foreach (ref readonly Piece part in argument.Parts.AsSpan())
        {
            if (part.Kind == PieceKind.Literal) size += part.Bytes.Length;
            else size += SizeOf(drawn[count++] = Draw(part.Kind, command), part.Kind);
        }
        *target++ = (byte)'$';
        int digitCount = Digits.Count(size);
        Digits.Write(target, size, digitCount);
        target += digitCount;
        *target++ = (byte)'\r';
        *target++ = (byte)'\n';
        count = 0;
        foreach (ref readonly Piece part in argument.Parts.AsSpan())
            target = part.Kind == PieceKind.Literal ? Copy(target, part.Bytes)
                : WriteValue(target, drawn[count++], part.Kind);
        return target;
    }
}

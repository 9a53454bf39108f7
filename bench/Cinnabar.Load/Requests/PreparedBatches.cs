using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cinnabar.Load.Requests;

/// <summary>
/// A batch of requests for each place in the round of commands where one may begin, built once, in which only
/// the numbers of keys are written anew before it is sent:
///
///   *2..GET..$16..key:<b>000000123456</b>..*2..GET..$16..key:<b>000000654321</b>..*3..SET..
///
/// All clients of a thread share them, since a batch is sent, or what does not fit the socket copied, before
/// the next one is begun. Only for commands whose requests all have one size, and only while all batches stay
/// in the processor's second cache: others are written piece by piece (<see cref="RequestStream.Write"/>).
/// </summary>
internal sealed unsafe class PreparedBatches : IDisposable
{
    private const long SizeMax = 256 * 1024;
    private readonly PreparedBatch[] _byPlace;
    private readonly byte* _memory;

    private PreparedBatches(RequestPlan plan, int depth, long size)
    {
        _memory = (byte*)NativeMemory.Alloc((nuint)size);
        _byPlace = new PreparedBatch[plan.Cycle.Size];
        byte* at = _memory;
        for (int place = 0; place < _byPlace.Length; place++)
        {
            _byPlace[place] = Build(plan, depth, place, at);
            at += _byPlace[place].Size;
        }
    }

    /// <summary>The batches of a plan; null where its requests have no fixed sizes or are too
    /// many.</summary>
    public static PreparedBatches? Of(RequestPlan plan, int depth)
    {
        IEnumerable<RequestProgram> programs = Enumerable.Range(0, plan.Cycle.Size)
            .Select(place => plan.Programs[plan.Cycle[place]]);
        bool isFixed = programs.All(program => program.Pieces.All(piece =>
            piece.Kind is PieceKind.Literal or PieceKind.Key or PieceKind.Number));
        // All batches together hold every request of the round equally often.
        long size = programs.Sum(program => program.SizeMax) * depth;
        return isFixed && plan.Keys.IsFixedWidth && size <= SizeMax
            ? new PreparedBatches(plan, depth, size) : null;
    }

    /// <summary>The batch that begins at a place.</summary>
    public PreparedBatch this[int place] => _byPlace[place];

    public void Dispose() => NativeMemory.Free(_memory);

    // SAFETY: the requests' sizes are fixed and were summed up: all batches together fill _memory exactly.
    private static PreparedBatch Build(RequestPlan plan, int depth, int place, byte* target)
    {
        var holes = new List<BatchHole>();
        int size = 0;
        for (; depth > 0; depth--)
        {
            int command = plan.Cycle[place];
            if (++place == plan.Cycle.Size) place = 0;
            foreach (Piece piece in plan.Programs[command].Pieces)
            {
                int length = piece.Kind == PieceKind.Literal ? piece.Bytes.Length
                    : piece.Kind == PieceKind.Key ? plan.Keys.DigitCountMax : RequestProgram.NumberSize;
                if (piece.Kind == PieceKind.Literal)
                    piece.Bytes.CopyTo(new Span<byte>(target + size, length));
                else holes.Add(new BatchHole(size, length, piece.Kind, command));
                size += length;
            }
        }
        return new PreparedBatch(target, size, [.. holes], place);
    }
}

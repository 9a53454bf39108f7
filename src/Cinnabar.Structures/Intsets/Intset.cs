// Intset: a set of integers as a sorted array, byte for byte as Redis has it.
//
// What it is for. Small sets whose members are all integers, such as ids. Two bytes a member where all fit
// into 16 bits, and a search that touches a few cache lines.
//
//      0            4            8
//      +------------+------------+--------+--------+- - - - -+--------+
//      | width      | count      | member | member |         | member |     ascending, no duplicates
//      | (32 bits)  | (32 bits)  |        |        |         |        |
//      +------------+------------+--------+--------+- - - - -+--------+
//
// All little-endian; the width is 2, 4 or 8 bytes, the same for all members. The first member that does not
// fit widens all of them; as in Redis they do not become narrower again.
//
// The search is a binary one without a branch on what it compares: the outcome of a comparison cannot be
// guessed, so a branch would be guessed wrong every other time. It halves the part that is looked at and adds
// the half to the beginning, or adds nothing.
//
// Invariants. What a reader or editor is given was written by an editor or passed IntsetReader.IsSound:
// nothing else checks. Memory is the caller's: IntsetEditor.SizeWith gives the bytes before a change is made.
//
// Why not the simpler thing: an unsorted array would be faster to add to, but is not Redis's format. Limits:
// an addition moves half of the members; 2 GiB. Source: what redis-server 7.0 writes (tests/Differential).
namespace Cinnabar.Structures.Intsets;

/// <summary>The intset as a whole: its sizes, and how to make one.</summary>
public static unsafe class Intset
{
    /// <summary>Bytes of an intset without members.</summary>
    public const int HeaderSize = 8;

    /// <summary>Makes an empty intset.</summary>
    /// <param name="data">Room for at least <see cref="HeaderSize"/> bytes.</param>
    public static void Initialize(byte* data)
    {
        // SAFETY: the caller has room for eight bytes.
        *(int*)data = sizeof(short);
        *(int*)(data + 4) = 0;
    }

    /// <summary>The width in bytes of members among which this value can be.</summary>
    public static int WidthOf(long value) => value switch
    {
        >= short.MinValue and <= short.MaxValue => sizeof(short),
        >= int.MinValue and <= int.MaxValue => sizeof(int),
        _ => sizeof(long),
    };
}

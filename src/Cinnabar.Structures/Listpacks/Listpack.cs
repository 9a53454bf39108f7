// Listpack: a list of strings and integers in one contiguous block, byte for byte as Redis has it.
//
// What it is for. Small hashes, sets, sorted sets, the nodes of lists and of streams. A hash of five fields
// costs a few bytes a field beyond its text, and is found, copied, dumped, loaded and sent to a replica as
// one piece. A walk reads memory in order, so up to a few hundred entries it is faster than anything with
// pointers.
//
//      0            4        6                                             size - 1
//      +------------+--------+---------+---------+- - - - - - -+---------+----+
//      | size       | count  | entry   | entry   |             | entry   | FF |
//      | (32 bits)  | (16)   |         |         |             |         |    |
//      +------------+--------+---------+---------+- - - - - - -+---------+----+
//
//      entry:   encoding and length   data                            back length (1 to 5 bytes)
//        integer, 0 .. 127            0vvvvvvv
//        text of 0 .. 63 bytes        10llllll                  text
//        integer of 13 bits           110vvvvv vvvvvvvv
//        text of up to 4095 bytes     1110llll llllllll         text
//        text of any length           F0       4 bytes          text
//        integer, 16 24 32 64 bits    F1 F2 F3 F4               2 3 4 8 bytes
//
// Numbers are little-endian, signed ones in two's complement; the 13 and 12 bits that begin in the first byte
// have their high bits there. The back length is the number of the entry's bytes before it, 7 bits a byte,
// high bits first, bit 7 set in all bytes but the first: read from its end it leads to the entry's beginning,
// so one walks in both directions. Redis takes one more byte than needed for a length of exactly 2^14 - 1,
// 2^21 - 1 or 2^28 - 1, and so must we (but not for 2^7 - 1).
//
// A text that is the canonical form of a 64-bit integer is always written as one: "12", but not "012" or
// "+12". What others wrote may break that rule, or use more bytes than needed; Find still finds, as in Redis.
//
// Invariants. What a reader or editor is given was written by an editor or has passed ListpackValidator:
// nothing below checks bounds while it walks. A count of 65535 means "as many or more, count yourself"; an
// editor leaves it so until a count finds fewer. A position is an entry's offset from the beginning: 0 is
// never one and means "none". Memory is the caller's: an editor's user computes the size that is needed first
// (ListpackElement.Size, ListpackReader.SizeAt), moves the block if it must, and then edits.
//
// How it is fast. The size of most entries, back length included, follows from their first byte by a table of
// 256 bytes (ListpackFormat), so a step is two dependent loads and no branch that could be guessed wrong.
// Find guesses that texts are short, and compares the first byte (which is the length, too) and the last 8
// bytes of the text before anything else (ListpackReader).
//
// Why not the simpler thing. Something of our own could be smaller (no back length) or faster (an index), but
// then every DUMP, RDB file and replica would cost a conversion of every small key.
//
// Limits: 2 GiB a listpack. Finding is linear; that is why the types stop using it at a few hundred entries.
// Source: the published format, "Listpack specification" (S. Sanfilippo, Y. Inbar, O. Agra, 2017), and what
// redis-server 7.0 writes, which tests/Differential compares.

namespace Cinnabar.Structures.Listpacks;

/// <summary>The listpack as a whole: its sizes, and how to make one.</summary>
public static unsafe class Listpack
{
    /// <summary>Bytes of a listpack without entries.</summary>
    public const int EmptySize = HeaderSize + 1;

    /// <summary>The position of the first entry; in an empty listpack, of the end.</summary>
    public const int HeaderSize = 6;

    /// <summary>The count in the header that says that it is not known.</summary>
    internal const int UnknownCount = ushort.MaxValue;

    /// <summary>The byte behind the last entry.</summary>
    internal const byte Terminator = 0xFF;

    /// <summary>Makes an empty listpack.</summary>
    /// <param name="data">Room for at least <see cref="EmptySize"/> bytes.</param>
    public static void Initialize(byte* data)
    {
        // SAFETY: the caller has room for seven bytes.
        *(uint*)data = EmptySize;
        *(ushort*)(data + 4) = 0;
        data[HeaderSize] = Terminator;
    }

    /// <summary>The bytes of a listpack, as its header says.</summary>
    public static int SizeOf(byte* data) => *(int*)data;
}

// The first bytes of the most frequent commands. A pipeline is the same few commands over and over:
//
//     *2 CRLF $3 CRLF GET CRLF | $16 CRLF memtier-00012345 CRLF
//     the head: seen before      the rest: parsed
//
// A head is everything up to the end of the command's name. For each head that was scanned recently, the
// table holds its bytes, the number of arguments and the command. So a command with a known head costs one
// comparison of 32 bytes instead of two headers, a folded name and a lookup by name. Equal bytes were parsed
// to this result before, so the comparison is exact.
//
// A head's place is a hash of its bytes 1 and 8 to 11: the count and the beginning of the name. Two commands
// of one place replace each other, which costs no more than scanning. Only heads of at most 32 bytes with one
// digit of count are kept, and inline commands of one word (PING CRLF), which are all head.
//
// 32 bytes are compared, however few are left of an input. The bytes after its end, which exist in the loop's
// slab but have no meaning, make no difference: a head that reaches into them is rejected.
//
// Limits: one table for each loop. Commands keep their names while a server runs (rename-command applies at
// the start).

using System.Runtime.Intrinsics;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Recognises the beginnings of commands that a loop has seen before.</summary>
internal sealed unsafe class KnownHeads
{
    /// <summary>Bytes that <see cref="TryScan"/> and <see cref="Learn"/> may read, of the input or after
    /// it.</summary>
    public const int BytesSeen = 32;

    private const int PlaceBits = 6;
    private const int ArgumentCountMax = 9;

    private readonly Head[] _heads = new Head[1 << PlaceBits];

    /// <summary>An empty table.</summary>
    public KnownHeads()
    {
        // No input is this long.
        foreach (ref Head head in _heads.AsSpan())
            head.Length = int.MaxValue;
    }

    /// <summary>Scans a command whose head is known.</summary>
    /// <param name="data">Its first byte; <see cref="BytesSeen"/> bytes can be read.</param>
    /// <param name="length">How many bytes there are.</param>
    /// <param name="arguments">Receives the arguments.</param>
    /// <param name="consumed">How many bytes it took.</param>
    /// <returns>The command; null: the head is not known, or the command is incomplete.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public CommandSpec? TryScan(byte* data, int length, ArgumentBuffer arguments, out int consumed)
    {
        consumed = 0;
        ref Head head = ref HeadOf(data);
        // SAFETY: the caller provides 32 bytes. A head that matches lies within them.
        if (((Vector256.Load(data) ^ head.Bytes) & head.Mask) != Vector256<byte>.Zero || head.Length > length)
            return null;
        int first = arguments.Count;
        int count = head.ArgumentCount;
        if (first + count > arguments.Capacity)
            arguments.EnsureCapacity(first + count);
        Argument* item = arguments.Items + first;
        Argument* itemEnd = item + count;
        item->Data = data + head.NameStart;
        *(ulong*)&item->Length = (uint)(head.Length - head.NameStart - 2);
        item->Hash = 0;
        byte* next = data + head.Length;
        byte* end = data + length;
        while (++item != itemEnd)
        {
            byte* payload = RequestScanner.ReadShortHeader(next, end, out int size);
            if (payload == null || end - payload < size + 2)
                return null;
            item->Data = payload;
            *(ulong*)&item->Length = (uint)size;
            item->Hash = 0;
            next = payload + size + 2;
        }

        arguments.Count = first + count;
        consumed = (int)(next - data);
        return head.Spec;
    }

    /// <summary>Remembers the head of a command that was scanned.</summary>
    /// <param name="data">Its first byte; <see cref="BytesSeen"/> bytes can be read.</param>
    /// <param name="name">Its first argument.</param>
    /// <param name="argumentCount">How many arguments it has.</param>
    /// <param name="spec">What it names.</param>
    public void Learn(byte* data, in Argument name, int argumentCount, CommandSpec spec)
    {
        long start = name.Data - data;
        long length = start + name.Length + 2;
        Debug.Assert(argumentCount > 0, "a command has a name");
        // A count in another form (*+2, *02) has the name at another place; the name of an inline command in
        // quotes does not lie in the input.
        bool isKept = *data == '*' ? start is 8 or 9 && argumentCount <= ArgumentCountMax
            : start == 0 && argumentCount == 1;
        if (!isKept || length > Vector256<byte>.Count || data[length - 2] != '\r' || data[length - 1] != '\n')
            return;
        ref Head head = ref HeadOf(data);
        byte* bytes = stackalloc byte[2 * Vector256<byte>.Count];
        new Span<byte>(bytes, 2 * Vector256<byte>.Count).Clear();
        new Span<byte>(bytes, (int)length).Fill(0xFF);
        head.Mask = Vector256.Load(bytes);
        new ReadOnlySpan<byte>(data, (int)length).CopyTo(new Span<byte>(bytes, (int)length));
        head.Bytes = Vector256.Load(bytes);
        head.NameStart = (int)start;
        head.Length = (int)length;
        head.ArgumentCount = argumentCount;
        head.Spec = spec;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref Head HeadOf(byte* data)
    {
        uint name = Unsafe.ReadUnaligned<uint>(data + 8);
        uint place = (name + data[1]) * 0x9E37_79B1u >> (32 - PlaceBits);
        // SAFETY: PlaceBits bits cannot be past the end.
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_heads), place);
    }

    private struct Head
    {
        public Vector256<byte> Bytes;
        public Vector256<byte> Mask;
        public CommandSpec? Spec;
        public int NameStart;
        public int Length;
        public int ArgumentCount;
    }
}

namespace Cinnabar.Engine.Specs;

// The form of the specs in the assembly.
//
// The generator turns spec/commands/*.json into four constant texts: the table, and the replies of
// COMMAND INFO, COMMAND DOCS and HELP. All are trees, written front to back as text:
//
//     a10;b3;geti2;s2;t8;readonlyt4;fast...
//     |   |       |    |
//     |   |       |    a set of two items, which follow
//     |   |       the integer 2
//     |   the bulk string "get"
//     an array of ten items, which follow
//
// A node is a letter (SpecNodeKind), a decimal number and ';', for strings followed by so many bytes.
// The number is the count of items, of pairs for a map. All bytes are printable ASCII.
//
// Why not objects built by generated code: two hundred constructor calls with their arrays are 100 KB of
// machine code to compile before the first reply. A constant lies in the file and is paged in when read.
// Why not the bytes of RESP itself: RESP2 and RESP3 differ in the heads of maps and sets, and a table of
// both would be twice as large; the tree gives either while it is written.
// Why text: C# has a literal for constant text (u8), and one can read the generated file.
//
// Limits: the reader trusts the generator. It asserts the kinds that it expects and checks nothing else.

/// <summary>Reads the constant trees that the generator made of the specs, node by node.</summary>
internal ref struct SpecTree(ReadOnlySpan<byte> text)
{
    private readonly ReadOnlySpan<byte> _text = text;
    private int _position = 0;

    /// <summary>Whether every node has been read.</summary>
    public readonly bool IsAtEnd => _position == _text.Length;

    /// <summary>The address of the next node: constant data of the assembly, which never moves.</summary>
    // SAFETY: a constant text lies in the program's image, not on the heap.
    public readonly unsafe nint Address =>
        (nint)Unsafe.AsPointer(ref MemoryMarshal.GetReference(_text[_position..]));

    /// <summary>Reads the head of the next node.</summary>
    /// <param name="number">The integer, the count of items or pairs, or the length in bytes.</param>
    public SpecNodeKind Head(out long number)
    {
        var kind = (SpecNodeKind)_text[_position++];
        bool isNegative = _text[_position] == (byte)'-';
        if (isNegative) _position++;
        number = 0;
        for (byte c = _text[_position++]; c != (byte)';'; c = _text[_position++])
            number = (number * 10) + c - '0';
        if (isNegative) number = -number;
        return kind;
    }

    /// <summary>Reads the bytes of a string whose head was read.</summary>
    public ReadOnlySpan<byte> Bytes(long length)
    {
        ReadOnlySpan<byte> bytes = _text.Slice(_position, (int)length);
        _position += (int)length;
        return bytes;
    }

    /// <summary>Reads a node that is an integer.</summary>
    public long Integer()
    {
        SpecNodeKind kind = Head(out long number);
        Debug.Assert(kind == SpecNodeKind.Integer, "the generator and the reader of the table disagree");
        return number;
    }

    /// <summary>Reads a node that is a bulk string.</summary>
    public ReadOnlySpan<byte> Bulk()
    {
        SpecNodeKind kind = Head(out long number);
        Debug.Assert(kind == SpecNodeKind.Bulk, "the generator and the reader of the table disagree");
        return Bytes(number);
    }

    /// <summary>Reads the head of an array and gives the count of its items.</summary>
    public int Array()
    {
        SpecNodeKind kind = Head(out long number);
        Debug.Assert(kind == SpecNodeKind.Array, "the generator and the reader of the table disagree");
        return (int)number;
    }
}

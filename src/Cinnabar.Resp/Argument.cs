namespace Cinnabar.Resp;

// One argument of a scanned command: 24 bytes, so that a loop's batch of commands lies densely in memory.
//
//     0        8        12       16       24
//     | Data   | Length | Flags  | Hash   |
//
// Data points into the input buffer, into scratch memory of the ArgumentBuffer, or into a block that holds a
// big value: scanning copies nothing. In a half command Data holds an offset instead; see ScanState.

/// <summary>One argument of a command: a view of bytes that it does not own.</summary>
[StructLayout(LayoutKind.Sequential)]
public unsafe struct Argument
{
    /// <summary>First byte; valid as long as the input the command was scanned from.</summary>
    public byte* Data;

    /// <summary>Number of bytes.</summary>
    public int Length;

    /// <summary>Bits of <see cref="ArgumentFlags"/>.</summary>
    public uint Flags;

    /// <summary>The key's hash, which the engine fills in; the scanner leaves zero.</summary>
    public ulong Hash;

    /// <summary>The bytes.</summary>
    public readonly ReadOnlySpan<byte> Span => new(Data, Length);
}

using System;
using System.Runtime.InteropServices;

namespace Cinnabar.Resp;

// One argument of a scanned command: 24 bytes, so that a loop's batch of commands lies densely in memory.
//
//     0        8        12       16       24
//     | Data   | Length | Flags  | Hash   |
//
// Data points into the input buffer (or into scratch memory of the ArgumentBuffer, or into a block that the
// engine received a big value into): nothing is copied by scanning. While a command is only half received,
// Data holds an offset instead; see ScanState.

/// <summary>One argument of a command: a view of bytes that somebody else owns.</summary>
[StructLayout(LayoutKind.Sequential)]
public unsafe struct Argument
{
    /// <summary>First byte; valid as long as the input the command was scanned from.</summary>
    public byte* Data;

    /// <summary>Number of bytes.</summary>
    public int Length;

    /// <summary>Bits of <see cref="ArgumentFlags"/>.</summary>
    public uint Flags;

    /// <summary>The key's hash once the engine filled it in; the scanner leaves zero.</summary>
    public ulong Hash;

    /// <summary>The bytes.</summary>
    public readonly ReadOnlySpan<byte> Span => new(Data, Length);
}

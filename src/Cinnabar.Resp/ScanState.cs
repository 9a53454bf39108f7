namespace Cinnabar.Resp;

// How far a scan got into a command that has not arrived completely. A session keeps one while it has half
// a command; default(ScanState) is the state before a command, and every outcome but NeedMore and
// BigArgument leaves that behind.
//
// Position is relative to the command's first byte, and so are the arguments found so far (Argument.Data
// holds an offset): the buffer may grow and move between two scans. The arguments found so far are the last
// ArgumentsFound of the ArgumentBuffer. A loop's buffer serves all its sessions, so a session with half a
// command moves them to one of its own (ArgumentBuffer.MoveTailTo) and passes that to the next scans.
//
// A big argument. The scan returned BigArgument: of BigLength bytes from BigOffset on, the input has
// BigAvailable.
//
//     *3 CRLF $3 CRLF SET CRLF $1 CRLF k CRLF $1000000 CRLF | first bytes of the value
//                                                           ^ Position = BigOffset
//
// The engine copies these into a block, cuts the input off at BigOffset, receives the rest of the value
// into the block, calls CompleteBigArgument, and appends what follows (CRLF and so on) to the input at
// BigOffset. It may also ignore the outcome and let the input grow; each scan then returns BigArgument until
// all bytes have arrived.
//
// A small half command may also be scanned again from its first byte: drop its ArgumentsFound arguments from
// the buffer and reset the state to default.

/// <summary>The memory of a scan between two pieces of one command.</summary>
public unsafe struct ScanState
{
    internal ScanPhase Phase;
    internal int LineSearched;
    internal int BulkLength;

    /// <summary>Offset of what is scanned next, from the command's first byte.</summary>
    public int Position { get; internal set; }

    /// <summary>Arguments that are missing.</summary>
    public int ArgumentsLeft { get; internal set; }

    /// <summary>Arguments found: the last of the buffer, as offsets.</summary>
    public int ArgumentsFound { get; internal set; }

    /// <summary>True before the first byte of a command.</summary>
    public readonly bool IsFresh => (Position | LineSearched) == 0;

    /// <summary>Records that <paramref name="block"/> holds all bytes of the big argument, and that the input
    /// from <see cref="Position"/> on is what follows them.</summary>
    /// <exception cref="InvalidOperationException">no big argument was reported</exception>
    public void CompleteBigArgument(ArgumentBuffer arguments, byte* block)
    {
        if (Phase != ScanPhase.Payload)
        {
            throw new InvalidOperationException("no argument is being received");
        }

        Debug.Assert(ArgumentsLeft > 0, "the big argument is one of those that are missing");
        Debug.Assert(arguments.Count >= ArgumentsFound, "the buffer holds what earlier scans found");
        arguments.Append(block, BulkLength, ArgumentFlags.External);
        ArgumentsFound++;
        ArgumentsLeft--;
        Phase = ScanPhase.LineEndAfterBig;
    }
}

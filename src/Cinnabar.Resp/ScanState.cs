using System;

namespace Cinnabar.Resp;

// How far a scan got into a command of which only a part has come in. A session keeps one while it has half
// a command in; default(ScanState) is the state before a command, and every outcome but NeedMore and
// BigArgument leaves that behind.
//
// Position is relative to the command's first byte, and so are the arguments found so far (Argument.Data
// holds an offset): the buffer may grow and move between two scans. The arguments found so far are the last
// ArgumentsFound of the ArgumentBuffer; a session whose loop's buffer serves other sessions moves them to
// one of its own (ArgumentBuffer.MoveTailTo) and passes that to the next scan.
//
// A big argument. The scan has said BigArgument: of `length` bytes from BigOffset on, the input has
// BigAvailable.
//
//     *3 CRLF $3 CRLF SET CRLF $1 CRLF k CRLF $1000000 CRLF | first bytes of the value
//                                                           ^ Position = BigOffset
//
// The engine copies these into a block, cuts the input off at BigOffset, receives the rest of the value
// into the block, calls CompleteBigArgument, and goes on to append what follows (CRLF and so on) to the
// input at BigOffset. It may as well ignore the outcome and let the input grow; the next scan then says
// BigArgument again until all bytes are in.
//
// A small half command may also be scanned afresh from its first byte: drop its ArgumentsFound arguments
// from the buffer and reset the state to default.

/// <summary>The memory of a scan between two pieces of one command.</summary>
public unsafe struct ScanState
{
    internal ScanPhase Phase;
    internal int LineSearched;
    internal int BulkLength;

    /// <summary>Offset of what is scanned next, from the command's first byte.</summary>
    public int Position { get; internal set; }

    /// <summary>Arguments that have still to come.</summary>
    public int ArgumentsLeft { get; internal set; }

    /// <summary>Arguments found: the last of the buffer, as offsets.</summary>
    public int ArgumentsFound { get; internal set; }

    /// <summary>True before the first byte of a command.</summary>
    public readonly bool IsFresh => (Position | LineSearched) == 0;

    /// <summary>
    /// Says that the big argument's bytes are all in <paramref name="block"/>, and that the input from
    /// <see cref="Position"/> on is what follows them.
    /// </summary>
    /// <exception cref="InvalidOperationException">no big argument was reported</exception>
    public void CompleteBigArgument(ArgumentBuffer arguments, byte* block)
    {
        if (Phase != ScanPhase.Payload)
        {
            throw new InvalidOperationException("no argument is being received");
        }

        arguments.Append(block, BulkLength, ArgumentFlags.External);
        ArgumentsFound++;
        ArgumentsLeft--;
        Phase = ScanPhase.LineEndAfterBig;
    }
}

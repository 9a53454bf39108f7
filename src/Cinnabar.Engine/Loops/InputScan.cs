using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Scans the inputs of a turn into batches.</summary>
/// <param name="inputs">The inputs.</param>
/// <param name="scanner">Scans one; has the batch.</param>
/// <param name="resumption">Resumes the execution that an input waits for.</param>
/// <param name="closing">Ends sessions whose input is no request.</param>
internal sealed unsafe class InputScan(
    InputReceiver inputs, CommandScanner scanner, ExecutionResumption resumption, SessionClosing closing)
{
    private readonly InputReceiver _inputs = inputs;
    private readonly CommandScanner _scanner = scanner;
    private readonly ExecutionResumption _resumption = resumption;
    private readonly SessionClosing _closing = closing;

    /// <summary>Scans an input into the batch.</summary>
    /// <returns>True if the input is finished; false if the batch must be executed first.</returns>
    public bool TryScan(int index)
    {
        ref TurnInput input = ref _inputs[index];
        if (input.IsDone || input.Session.IsClosing && input.Resumed is null)
            return true;
        if (input.Resumed is not null)
        {
            if (_scanner.Count > 0)
                return false;
            if (!_resumption.Resume(ref input))
                return true;
        }

        Session session = input.Session;
        // The session's second piece in this turn: it belongs behind the rest of the first, and waits if that
        // waits.
        if (session.InputCount > 1 && _scanner.Count > 0)
            return false;
        if (session.Suspended is not null || session.IsReadingStopped)
        {
            Postpone(ref input);
            return true;
        }

        if (session.Partial is { } earlier && !input.IsPartial)
        {
            InputReceiver.Feed(earlier, input.Data, input.Length);
            input.IsPartial = true;
            if (earlier.BigBytesLeft > 0)
                return input.IsDone = true;
        }

        ScanResult result = default;
        switch (_scanner.Scan(index, ref result))
        {
            case ScanOutcome.Command:
                return false;
            case ScanOutcome.Empty:
                if (input.BatchedCount == 0 && input.IsPartial)
                    _inputs.Recycle(session);
                return true;
            case ScanOutcome.ProtocolError:
                _closing.ProtocolError(session, in result);
                break;
            case ScanOutcome.BigArgument:
                Keep(ref input, result.BigOffset);
                byte* command = input.IsPartial ? session.Partial!.Data : input.Data + input.Position;
                _inputs.BeginBig(session, command, in result);
                break;
            default:
                int length = input.IsPartial ? session.Partial!.Length : input.Length;
                Keep(ref input, length - input.Position);
                break;
        }

        input.IsDone = true;
        return true;
    }

    /// <summary>Keeps the unscanned rest of an input until its session resumes.</summary>
    private void Postpone(ref TurnInput input)
    {
        input.IsDone = true;
        if (!input.IsPartial)
            Keep(ref input, input.Length - input.Position);
        else if (input.Position > 0)
            input.Session.Partial!.RemoveFront(input.Position);
    }

    /// <summary>Keeps bytes of a half command for later.</summary>
    private void Keep(ref TurnInput input, int byteCount)
    {
        PartialInput partial = _inputs.PartialOf(input.Session);
        if (!input.IsPartial)
        {
            partial.Append(input.Data + input.Position, byteCount);
            return;
        }

        partial.RemoveFront(input.Position);
        partial.Length = byteCount;
    }
}

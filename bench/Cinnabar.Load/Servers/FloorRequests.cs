using System;
using System.Text;

namespace Cinnabar.Load.Servers;

/// <summary>What a null server does with requests: it finds their ends, and writes the replies into an output
/// that the transport gives it.</summary>
internal sealed unsafe class FloorRequests
{
    private static readonly byte[] s_pong = "+PONG\r\n"u8.ToArray();
    private static readonly byte[] s_ok = "+OK\r\n"u8.ToArray();
    private readonly byte[] _value;

    /// <summary>Values have <paramref name="dataSize"/> bytes.</summary>
    public FloorRequests(int dataSize)
    {
        _value = Encoding.ASCII.GetBytes($"${dataSize}\r\n{new string('x', dataSize)}\r\n");
        ReplySizeMax = Math.Max(_value.Length, s_pong.Length);
    }

    /// <summary>The size of the longest reply, in bytes.</summary>
    public int ReplySizeMax { get; }

    /// <summary>Where the replies go; with room for more than one.</summary>
    public required byte[] Output { get; set; }

    /// <summary>How much of it is filled, in bytes.</summary>
    public int OutputSize { get; set; }

    /// <summary>Answers until the input ends or the output has no room for another reply.</summary>
    /// <param name="state">The connection's.</param>
    /// <param name="input">The input.</param>
    /// <param name="at">Where to begin in it.</param>
    /// <param name="end">Where it ends.</param>
    /// <returns>The position reached.</returns>
    // SAFETY: reads only from at to end.
    public int Answer(FloorConnection state, byte* input, int at, int end)
    {
        int full = Output.Length - ReplySizeMax;
        while (at < end && OutputSize <= full)
        {
            if (state.BodyLeft > 0)
            {
                long taken = Math.Min(state.BodyLeft, end - at);
                at += (int)taken;
                if ((state.BodyLeft -= taken) == 0 && --state.ArgumentsLeft == 0) Reply(state);
                continue;
            }
            if (state.First == 0) (state.First, state.Number) = (input[at++], 0);
            long number = state.Number;
            byte letter = 0;
            while (at < end && (letter = input[at++]) != '\n')
                if ((uint)(letter - '0') <= 9) number = number * 10 + (letter - '0');
            state.Number = number;
            if (letter == '\n') EndLine(state);
        }
        return at;
    }

    private void EndLine(FloorConnection state)
    {
        byte first = state.First;
        state.First = 0;
        if (state.ArgumentsLeft > 0) state.BodyLeft = state.Number + 2;
        else if (first == '*') state.ArgumentsLeft = state.ArgumentCount = (int)state.Number;
        else
        {
            state.ArgumentCount = 1;
            Reply(state);
        }
    }

    private void Reply(FloorConnection state)
    {
        state.ArgumentsLeft = -1;
        byte[] reply = state.ArgumentCount switch { 1 => s_pong, 2 => _value, _ => s_ok };
        reply.CopyTo(Output, OutputSize);
        OutputSize += reply.Length;
    }
}

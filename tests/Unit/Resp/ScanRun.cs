using System;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Unit.Resp;

// Feeds one command to the scanner in pieces. Each scan sees a fresh copy of the input that ends exactly at
// its last byte, at another address each time, so that a stale pointer shows.

/// <summary>One command on its way through the scanner.</summary>
internal sealed unsafe class ScanRun : IDisposable
{
    internal readonly ArgumentBuffer Buffer = new();
    internal ScanState State;
    internal ScanResult Result;
    internal ScanLimits Limits;

    private byte[] _input;
    private byte* _copy;

    internal ScanRun(byte[] input)
    {
        _input = input;
        Outcome = ScanOutcome.NeedMore;
    }

    internal ScanOutcome Outcome { get; private set; }

    public void Dispose()
    {
        NativeMemory.Free(_copy);
        Buffer.Dispose();
    }

    internal void Replace(byte[] input) => _input = input;

    /// <summary>Scans the first bytes, unless an earlier scan has come to an end.</summary>
    internal void Feed(int length)
    {
        if (Outcome is ScanOutcome.NeedMore or ScanOutcome.BigArgument)
        {
            FeedInto(Buffer, length);
        }
    }

    internal void FeedInto(ArgumentBuffer buffer, int length)
    {
        byte* copy = (byte*)NativeMemory.Alloc((nuint)length);
        _input.AsSpan(0, length).CopyTo(new Span<byte>(copy, length));
        if (_copy != null)
        {
            NativeMemory.Fill(_copy, 1, 0xEE);
            NativeMemory.Free(_copy);
        }

        _copy = copy;
        Outcome = RequestScanner.Scan(ref State, copy, length, buffer, Limits, ref Result);
    }

    internal void CompleteWithNothing() => State.CompleteBigArgument(Buffer, null);

    internal string[] Arguments()
    {
        string[] arguments = new string[Result.ArgumentCount];
        for (int index = 0; index < arguments.Length; index++)
        {
            arguments[index] = Encoding.Latin1.GetString(Buffer.Items[Result.FirstArgument + index].Span);
        }

        return arguments;
    }

    internal string ErrorReply()
    {
        if (Outcome != ScanOutcome.ProtocolError)
        {
            return Outcome.ToString();
        }

        using BytesSink sink = new(16);
        ReplyWriter writer = new(sink);
        ProtocolErrorText.Write(ref writer, Result);
        return sink.Text(writer);
    }
}

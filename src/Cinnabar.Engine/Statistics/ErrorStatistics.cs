// Error replies by their code (ERR, WRONGTYPE ...), for INFO errorstats. Codes are few and stay until a
// reset: a list that only grows, read without a lock, and a counter each. Scripts and functions can make up
// codes, so there is a limit: codes beyond it are counted under one name, as in Redis. A reset begins another
// list; a reply that is being counted then may be lost with the old one.

namespace Cinnabar.Engine.Statistics;

/// <summary>
/// Counts the error replies of a server by code. Any thread may use it; counting allocates nothing.
/// </summary>
internal sealed class ErrorStatistics
{
    /// <summary>The most codes that are counted separately.</summary>
    public const int CodeCountMax = 128;

    private const int CodeLengthMax = 32;

    private readonly Lock _lock = new();
    private CodeList _list = new();
    private long _totalCount;

    /// <summary>The codes that have occurred since the last reset, by name.</summary>
    public ReadOnlySpan<byte[]> Codes => Volatile.Read(ref List.Sorted);

    /// <summary>Error replies in all.</summary>
    public long TotalCount => Interlocked.Read(ref _totalCount);

    private CodeList List => Volatile.Read(ref _list);

    private static ReadOnlySpan<byte> Overflow => "ERRORSTATS_OVERFLOW"u8;

    /// <summary>Counts a reply.</summary>
    /// <param name="text">The error's text or its beginning, without the minus.</param>
    public void Count(ReadOnlySpan<byte> text)
    {
        Add(CodeOf(text), 1);
    }

    /// <summary>Takes back that a reply was counted: it is an error of a command that a script passes
    /// on.</summary>
    public void Uncount(ReadOnlySpan<byte> text)
    {
        CodeList list = List;
        int index = list.Find(CodeOf(text));
        if (index < 0)
            return;
        Interlocked.Decrement(ref _totalCount);
        Interlocked.Decrement(ref list.Counts[index]);
    }

    /// <summary>Adds these counts to others, and starts over.</summary>
    public void MoveTo(ErrorStatistics target)
    {
        if (TotalCount == 0)
            return;
        CodeList list = List;
        for (int index = 0; index < list.Count; index++)
            target.Add(list.Codes[index], Interlocked.Exchange(ref list.Counts[index], 0));
        Interlocked.Exchange(ref _totalCount, 0);
        if (list.Count > CodeCountMax)
            Reset();
    }

    /// <summary>How often a code has occurred since the last reset.</summary>
    public long CountOf(ReadOnlySpan<byte> code)
    {
        CodeList list = List;
        int index = list.Find(code);
        return index < 0 ? 0 : Interlocked.Read(ref list.Counts[index]);
    }

    /// <summary>Starts over, without any code.</summary>
    public void Reset()
    {
        // ORDER: replaced as a whole, and published by the write.
        Volatile.Write(ref _list, new CodeList());
        Interlocked.Exchange(ref _totalCount, 0);
    }

    private static ReadOnlySpan<byte> CodeOf(ReadOnlySpan<byte> text)
    {
        // The line breaks of a script's error are spaces in its reply.
        int length = text[..Math.Min(text.Length, CodeLengthMax)].IndexOfAny(" \r\n"u8);
        return length < 0 ? "ERR"u8 : text[..length];
    }

    private void Add(ReadOnlySpan<byte> code, long count)
    {
        if (count == 0)
            return;
        Interlocked.Add(ref _totalCount, count);
        CodeList list = List;
        int index = list.Find(code);
        Interlocked.Add(ref list.Counts[index >= 0 ? index : AddCode(list, code)], count);
    }

    private int AddCode(CodeList list, ReadOnlySpan<byte> code)
    {
        lock (_lock)
        {
            if (list.Count >= CodeCountMax)
                code = Overflow;
            int index = list.Find(code);
            return index >= 0 ? index : list.Add(code.ToArray());
        }
    }

    // One writer at a time, and readers without a lock.
    private sealed class CodeList
    {
        public readonly byte[][] Codes = new byte[CodeCountMax + 1][];
        public readonly long[] Counts = new long[CodeCountMax + 1];
        public byte[][] Sorted = [];
        public int Count;

        public int Find(ReadOnlySpan<byte> code)
        {
            // ORDER: the count is published after the code itself, so every index below it can be read.
            int count = Volatile.Read(ref Count);
            for (int index = 0; index < count; index++)
            {
                if (code.SequenceEqual(Codes[index]))
                    return index;
            }

            return -1;
        }

        public int Add(byte[] code)
        {
            Codes[Count] = code;
            Volatile.Write(ref Count, Count + 1);
            byte[][] sorted = Codes[..Count];
            Array.Sort(sorted, static (one, other) => one.AsSpan().SequenceCompareTo(other));
            // ORDER: replaced as a whole, and published by the write.
            Volatile.Write(ref Sorted, sorted);
            return Count - 1;
        }
    }
}

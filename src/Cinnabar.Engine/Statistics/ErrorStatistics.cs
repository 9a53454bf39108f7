// Error replies by their code (ERR, WRONGTYPE ...), for INFO errorstats. Codes are few and stay: a list that
// only grows, read without a lock, and a counter each. Scripts and functions can make up codes, so there is a
// limit: codes beyond it are counted under one name, as in Redis.

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
    private readonly byte[][] _codes = new byte[CodeCountMax + 1][];
    private readonly long[] _counts = new long[CodeCountMax + 1];
    private byte[][] _sorted = [];
    private int _codeCount;
    private long _totalCount;

    /// <summary>The codes that have ever occurred, by name.</summary>
    public ReadOnlySpan<byte[]> Codes => Volatile.Read(ref _sorted);

    /// <summary>Error replies in all.</summary>
    public long TotalCount => Interlocked.Read(ref _totalCount);

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
        int index = Find(CodeOf(text), Volatile.Read(ref _codeCount));
        if (index < 0)
            return;
        Interlocked.Decrement(ref _totalCount);
        Interlocked.Decrement(ref _counts[index]);
    }

    /// <summary>Adds these counts to others, and starts over.</summary>
    public void MoveTo(ErrorStatistics target)
    {
        if (TotalCount == 0)
            return;
        for (int index = 0; index < _codeCount; index++)
            target.Add(_codes[index], Interlocked.Exchange(ref _counts[index], 0));
        Interlocked.Exchange(ref _totalCount, 0);
    }

    /// <summary>How often a code has occurred since the last reset.</summary>
    public long CountOf(ReadOnlySpan<byte> code)
    {
        int index = Find(code, Volatile.Read(ref _codeCount));
        return index < 0 ? 0 : Interlocked.Read(ref _counts[index]);
    }

    /// <summary>Starts over: codes keep their places, counts go to zero.</summary>
    public void Reset()
    {
        Interlocked.Exchange(ref _totalCount, 0);
        for (int index = 0; index < _counts.Length; index++)
            Interlocked.Exchange(ref _counts[index], 0);
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
        // ORDER: the number of codes is published after the code itself, so every index below it can be read.
        int index = Find(code, Volatile.Read(ref _codeCount));
        Interlocked.Add(ref _counts[index >= 0 ? index : Add(code)], count);
    }

    private int Find(ReadOnlySpan<byte> code, int codeCount)
    {
        for (int index = 0; index < codeCount; index++)
        {
            if (code.SequenceEqual(_codes[index]))
                return index;
        }

        return -1;
    }

    private int Add(ReadOnlySpan<byte> code)
    {
        lock (_lock)
        {
            if (_codeCount >= CodeCountMax)
                code = Overflow;
            int index = Find(code, _codeCount);
            if (index >= 0)
                return index;
            _codes[_codeCount] = code.ToArray();
            Volatile.Write(ref _codeCount, _codeCount + 1);
            byte[][] sorted = _codes[.._codeCount];
            Array.Sort(sorted, static (one, other) => one.AsSpan().SequenceCompareTo(other));
            // ORDER: replaced as a whole, and published by the write.
            Volatile.Write(ref _sorted, sorted);
            return _codeCount - 1;
        }
    }
}

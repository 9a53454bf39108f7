// How a master frames the data of a full synchronisation:
//
//   $<length>\r\n<bytes>                           from a file: the length is known
//   $EOF:<40 bytes>\r\n<bytes><the same 40 bytes>  from memory: the mark follows the last byte

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Finds the end of a master's data.</summary>
internal sealed class PayloadFraming
{
    private const int MarkLength = 40;
    private const string MarkHead = "$EOF:";

    private readonly byte[]? _mark;

    private PayloadFraming(byte[]? mark, long length) => (_mark, Length) = (mark, length);

    /// <summary>Bytes of the data; 0: their end is marked.</summary>
    public long Length { get; }

    /// <summary>Bytes of the data that were taken.</summary>
    public long TakenCount { get; private set; }

    /// <summary>Whether all were taken.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Whether the length is not known before.</summary>
    public bool IsMarked => _mark is not null;

    /// <summary>Reads the line before the data; null: it is none.</summary>
    public static PayloadFraming? TryParse(string line)
    {
        if (line.Length == MarkHead.Length + MarkLength
            && line.StartsWith(MarkHead, StringComparison.Ordinal))
            return new PayloadFraming(Encoding.Latin1.GetBytes(line[MarkHead.Length..]), 0);
        return line.StartsWith('$')
            && long.TryParse(line.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out long length)
            ? new PayloadFraming(null, length) { IsOver = length == 0 } : null;
    }

    /// <summary>Takes received bytes.</summary>
    /// <param name="held">All that were received and not consumed.</param>
    /// <param name="countMax">The most data that are wanted.</param>
    /// <param name="consumedCount">How many of them are consumed: data, and the mark.</param>
    /// <returns>How many of them are data: the first.</returns>
    public int Take(ReadOnlySpan<byte> held, int countMax, out int consumedCount)
    {
        Debug.Assert(!IsOver, "the data have ended");
        int count;
        if (_mark is null)
        {
            count = consumedCount = (int)Math.Min(Math.Min(held.Length, countMax), Length - TakenCount);
            IsOver = TakenCount + count == Length;
        }
        else
        {
            // What could be the beginning of the mark waits for the rest.
            held = held[..Math.Min(held.Length, countMax + MarkLength)];
            int end = held.IndexOf(_mark);
            count = Math.Min(countMax, end >= 0 ? end : Math.Max(0, held.Length - MarkLength + 1));
            IsOver = count == end;
            consumedCount = IsOver ? end + MarkLength : count;
        }

        TakenCount += count;
        return count;
    }
}

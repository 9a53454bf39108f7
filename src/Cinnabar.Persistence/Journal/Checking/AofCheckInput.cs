using System.IO;
using Cinnabar.Platform.Files;

namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>Reads a file of commands for the check, which says where it finds what.</summary>
/// <param name="file">The file.</param>
/// <param name="offset">Where to begin.</param>
internal sealed class AofCheckInput(StoredFile file, long offset)
{
    private const int LineLengthMax = 127;

    private readonly StoredFile _file = file;
    private readonly byte[] _buffer = new byte[64 * 1024];
    private long _bufferOffset = offset;
    private int _filled;
    private int _at;

    /// <summary>The offset of the next byte.</summary>
    internal long Offset => _bufferOffset + _at;

    /// <summary>Whether there is a next byte.</summary>
    internal bool HasNext => _at < _filled || Fill();

    /// <summary>The next byte, which stays.</summary>
    internal byte Next => _buffer[_at];

    /// <summary>Reads a line, at most as much as the tool of Redis reads at a time.</summary>
    /// <returns>The line with its end, as far as there is one.</returns>
    internal byte[] ReadLine(int lengthMax = LineLengthMax)
    {
        using var line = new MemoryStream();
        while (line.Length < lengthMax && HasNext)
        {
            byte one = _buffer[_at++];
            line.WriteByte(one);
            if (one == (byte)'\n')
                break;
        }

        return line.ToArray();
    }

    /// <summary>Reads bytes.</summary>
    /// <param name="count">How many.</param>
    /// <param name="kept">Gets the first ones.</param>
    /// <param name="last">The last two that were read.</param>
    /// <returns>How many there were.</returns>
    internal long Read(long count, Span<byte> kept, out (byte First, byte Second) last)
    {
        last = default;
        for (long index = 0; index < count; index++)
        {
            if (!HasNext)
                return index;
            byte one = _buffer[_at++];
            if (index < kept.Length)
                kept[(int)index] = one;
            last = (last.Second, one);
        }

        return count;
    }

    private bool Fill()
    {
        _bufferOffset += _filled;
        (_at, _filled) = (0, 0);
        _filled = _file.Read(_bufferOffset, _buffer);
        return _filled > 0;
    }
}

// Goes through a file of commands as redis-check-aof does, and says where the first fault is in the same
// words: the offset is that of the line or the bytes that it reads, a line is counted for each end of line.

using System.IO;

namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>Checks the commands of one file.</summary>
/// <param name="input">The file.</param>
/// <param name="path">Its path, which some of Redis's messages have.</param>
/// <param name="name">Its name, which the others have.</param>
/// <param name="output">Where messages go.</param>
internal sealed class AofCommandCheck(AofCheckInput input, string path, string name, TextWriter output)
{
    private const int NameLengthMax = 16;

    private readonly AofCheckInput _input = input;
    private readonly string _path = path;
    private readonly string _name = name;
    private readonly TextWriter _output = output;
    private long _offset;
    private bool _isInTransaction;
    private bool _isReported;

    /// <summary>The offset up to which the file is valid: outside of a transaction.</summary>
    internal long ValidBytes { get; private set; } = input.Offset;

    /// <summary>Ends of lines that were read.</summary>
    internal long LineCount { get; private set; }

    /// <summary>Where the first annotation with a later time begins; −1: there is none.</summary>
    internal long LaterOffset { get; private set; } = -1;

    /// <summary>Checks up to the end or the first fault.</summary>
    /// <param name="timestampSeconds">The time of which later ones are looked for; 0: of none.</param>
    /// <param name="progress">Shows how far it is; or null.</param>
    internal void Run(long timestampSeconds, ICheckProgress? progress)
    {
        while (_input.HasNext)
        {
            if (!_isInTransaction)
                ValidBytes = _input.Offset;
            progress?.Show(_input.Offset);
            bool isValid = _input.Next == (byte)'#' ? ReadAnnotation(timestampSeconds) : ReadCommand();
            if (!isValid)
            {
                // A command that ends before an argument begins is no fault by itself.
                ReportOpenTransaction();
                return;
            }
        }

        ReportOpenTransaction();
        if (!_isInTransaction)
            ValidBytes = _input.Offset;
    }

    private void ReportOpenTransaction()
    {
        if (_isInTransaction && !_isReported && !_input.HasNext)
            Report("Reached EOF before reading EXEC for MULTI");
    }

    private bool ReadAnnotation(long timestampSeconds)
    {
        const string Mark = "#TS:";
        long start = _input.Offset;
        string line = Encoding.Latin1.GetString(_input.ReadLine());
        if (timestampSeconds == 0 || !line.StartsWith(Mark, StringComparison.Ordinal))
            return true;
        (long seconds, _) = ReadNumber(line, Mark.Length);
        if (seconds <= timestampSeconds)
            return true;
        LaterOffset = start;
        return false;
    }

    private bool ReadCommand()
    {
        if (_input.Next != (byte)'*')
        {
            _output.WriteLine($"AOF {_name} format error");
            return false;
        }

        if (!ReadLong('*', out long count))
            return false;
        for (long index = 0; index < count; index++)
        {
            if (!ReadArgument(isName: index == 0))
                return false;
        }

        return true;
    }

    private bool ReadArgument(bool isName)
    {
        if (!ReadLong('$', out long length))
            return false;
        if (length is < 0 or > long.MaxValue - 2)
            return Report($"Expected to read string of {length} bytes, which is not in the suitable range");
        _offset = _input.Offset;
        Span<byte> start = stackalloc byte[NameLengthMax];
        long read = _input.Read(length + 2, start, out (byte First, byte Second) end);
        if (read < length + 2)
            return Report($"Expected to read {length + 2} bytes, got {read} bytes");
        if (end != ((byte)'\r', (byte)'\n'))
            return Report($"Expected \\r\\n, got: {end.First:x2}{end.Second:x2}");
        LineCount++;
        return !isName || length > NameLengthMax || NoteName(start[..(int)length]);
    }

    private bool NoteName(ReadOnlySpan<byte> given)
    {
        if (Ascii.EqualsIgnoreCase(given, "multi"u8))
        {
            if (_isInTransaction)
                return Report($"Unexpected MULTI in AOF {_name}");
            _isInTransaction = true;
        }
        else if (Ascii.EqualsIgnoreCase(given, "exec"u8))
        {
            if (!_isInTransaction)
                return Report($"Unexpected EXEC in AOF {_path}");
            _isInTransaction = false;
        }

        return true;
    }

    private bool ReadLong(char prefix, out long number)
    {
        number = 0;
        _offset = _input.Offset;
        string line = Encoding.Latin1.GetString(_input.ReadLine());
        if (line.Length == 0)
            return false;
        if (line[0] != prefix)
            return Report($"Expected prefix '{prefix}', got: '{line[0]}'");
        (number, int end) = ReadNumber(line, 1);
        if (string.CompareOrdinal(line, end, "\r\n", 0, 2) != 0)
            return Report($"Expected \\r\\n, got: {ByteAt(line, end):x2}{ByteAt(line, end + 1):x2}");
        LineCount++;
        return true;
    }

    private static int ByteAt(string line, int index) => index < line.Length ? line[index] : 0;

    /// <summary>Reads the digits at a place, as far as there are some; as large as a number gets.</summary>
    private static (long Number, int End) ReadNumber(string line, int at)
    {
        int end = at;
        if (end < line.Length && line[end] is '-' or '+')
            end++;
        int firstDigit = end;
        while (end < line.Length && char.IsAsciiDigit(line[end]))
            end++;
        if (end == firstDigit)
            return (0, at);
        bool isSmall = long.TryParse(line.AsSpan(at, end - at), NumberStyles.AllowLeadingSign,
            CultureInfo.InvariantCulture, out long number);
        return (isSmall ? number : line[at] == '-' ? long.MinValue : long.MaxValue, end);
    }

    private bool Report(string text)
    {
        _isReported = true;
        _output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"0x{_offset,16:x}: {text}"));
        return false;
    }
}

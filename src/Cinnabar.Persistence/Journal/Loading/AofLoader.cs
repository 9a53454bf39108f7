// Loads the append-only file that a manifest names: the base, by its first bytes a snapshot or commands, and
// the increments behind it. Texts of the log and of errors are Redis's, which operators look for.
//
// The last file may end within a command, where a crash has cut a write off: it is cut off there. Empty files
// may follow: where the names could not be made durable, the server went on with the file before. A
// transaction is read to its EXEC before the first of its commands is executed, so that one that was cut off
// has no effect.

using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Resp;

namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>Loads an append-only file.</summary>
/// <param name="directory">Where it is.</param>
/// <param name="options">How.</param>
/// <param name="target">The server.</param>
/// <param name="clock">The source of time.</param>
public sealed class AofLoader(
    AofDirectory directory, AofLoadOptions options, IAofLoadTarget target, Clock clock)
{
    private const int ProgressStep = 1024;
    private const int MagicLength = 5;

    private readonly AofDirectory _directory = directory;
    private readonly AofLoadOptions _options = options;
    private readonly IAofLoadTarget _target = target;
    private readonly Clock _clock = clock;
    private long _totalBytes;
    private long _doneBytes;
    private bool _isSlowed;
    // The directive that lets a tail be cut off.
    private string _cutReason = "";

    /// <summary>Loads all files.</summary>
    /// <param name="manifest">What there is.</param>
    /// <param name="isOldStyle">Whether the base is the single file of an older server.</param>
    /// <exception cref="AofLoadException">It cannot be loaded.</exception>
    public void Load(AofManifest manifest, bool isOldStyle)
    {
        AofFile[] files = [.. manifest.Loaded];
        AofFile? last = null;
        foreach (AofFile file in files)
        {
            long length = _directory.LengthOf(file);
            if (length < 0)
                throw new AofLoadException(
                    $"Unable to obtain the AOF file {file.Name} length. stat: No such file or directory");
            _totalBytes += length;
            last = length > 0 ? file : last;
        }

        foreach (AofFile file in files)
        {
            long startNs = _clock.MonotonicNanoseconds;
            bool isLast = file == last;
            if (!LoadOne(file, isLast, isOldStyle && file.Kind == AofFileKind.Base))
                continue;
            string kind = file.Kind == AofFileKind.Base ? "base" : "incr";
            double seconds = (_clock.MonotonicNanoseconds - startNs) / 1e9;
            _target.Log(isWarning: false, string.Create(CultureInfo.InvariantCulture,
                $"DB loaded from {kind} file {file.Name}: {seconds:F3} seconds"));
        }
    }

    /// <summary>Whether a file begins with a snapshot.</summary>
    public static bool BeginsWithSnapshot(StoredFile file)
    {
        Span<byte> magic = stackalloc byte[MagicLength];
        int count = 0;
        for (int read = -1; read != 0 && count < magic.Length; count += read)
            read = file.Read(count, magic[count..]);
        return count == magic.Length && (magic.SequenceEqual("REDIS"u8) || magic.SequenceEqual("VALKE"u8));
    }

    // False where the file is empty.
    private bool LoadOne(AofFile one, bool isLast, bool isOldStyle)
    {
        long cutAt;
        using (StoredFile file = Open(one))
        {
            if (file.Length == 0)
                return false;
            long offset = 0;
            if (BeginsWithSnapshot(file))
                offset = LoadSnapshot(file, one, isOldStyle);
            cutAt = Replay(file, one, offset, isLast);
            _doneBytes += file.Length;
        }

        if (cutAt >= 0)
            Cut(one, cutAt);
        return true;
    }

    private StoredFile Open(AofFile one)
    {
        string path = _directory.PathOf(one.Name);
        try
        {
            return _directory.Files.Open(path, FileUse.Read);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new AofLoadException("Fatal error: can't open the append log file "
                + $"{one.Name} for reading: {SystemErrorText.Of(fault, path)}");
        }
    }

    private long LoadSnapshot(StoredFile file, AofFile one, bool isOldStyle)
    {
        _target.Log(isWarning: false, isOldStyle
            ? "Reading RDB preamble from AOF file..." : "Reading RDB base file on AOF loading...");
        if (_target.LoadSnapshot(file, one.Name) is not { } offset)
            throw new AofLoadException(isOldStyle
                ? $"Error reading the RDB preamble of the AOF file {one.Name}, AOF loading aborted"
                : $"Error reading the RDB base file {one.Name}, AOF loading aborted");
        if (isOldStyle)
            _target.Log(isWarning: false, "Reading the remaining AOF tail...");
        return offset;
    }

    /// <summary>Executes the commands of a file.</summary>
    /// <returns>Where the file is to be cut off; −1: nowhere.</returns>
    private long Replay(StoredFile file, AofFile one, long offset, bool isLast)
    {
        using var reader = new AofReader(file, offset);
        for (int count = 0; ; count++)
        {
            if (_isSlowed || count % ProgressStep == 0)
                _target.Progress(_doneBytes + reader.Offset, _totalBytes);
            AofItem item = reader.Read();
            long start = reader.Offset;
            bool isTransaction = item == AofItem.Command && Is(reader, "MULTI"u8);
            if (isTransaction)
                item = FindExec(reader);
            switch (item)
            {
                case AofItem.Command when isTransaction:
                    ReplayTransaction(reader, one, start);
                    break;
                case AofItem.Command:
                    Replay(reader.Arguments, one);
                    break;
                case AofItem.Annotation:
                    break;
                case AofItem.End when !isTransaction:
                    return -1;
                case AofItem.End or AofItem.Truncated:
                    if (isTransaction)
                        _target.Log(isWarning: true,
                            $"Revert incomplete MULTI/EXEC transaction in AOF file {one.Name}");
                    return EndTruncated(one, start, isLast);
                default:
                    return EndMalformed(file, one, start, isLast);
            }
        }
    }

    // What follows MULTI up to EXEC is only looked at.
    private static AofItem FindExec(AofReader reader)
    {
        AofItem item;
        do
            item = reader.Read();
        while (item == AofItem.Annotation || (item == AofItem.Command && !Is(reader, "EXEC"u8)));
        return item;
    }

    private void ReplayTransaction(AofReader reader, AofFile one, long start)
    {
        reader.Seek(start);
        AofItem item;
        do
        {
            item = reader.Read();
            if (item == AofItem.Command)
                Replay(reader.Arguments, one);
        }
        while (item == AofItem.Annotation || !Is(reader, "EXEC"u8));
    }

    private void Replay(ArgumentList arguments, AofFile one)
    {
        if (!_target.Replay.TryReplay(arguments))
            throw new AofLoadException($"Unknown command '{Encoding.Latin1.GetString(arguments[0].Span)}' "
                + $"reading the append only file {one.Name}");
        _isSlowed = _target.Wait();
    }

    private long EndTruncated(AofFile one, long start, bool isLast)
    {
        if (!_options.CutsTruncated)
            throw new AofLoadException($"Unexpected end of file reading the append only file {one.Name}. You "
                + "can: 1) Make a backup of your AOF file, then use ./redis-check-aof --fix "
                + "<filename.manifest>. 2) Alternatively you can set the 'aof-load-truncated' configuration "
                + "option to yes and restart the server.");
        _target.Log(isWarning: true,
            $"!!! Warning: short read while loading the AOF file {one.Name}!!!");
        if (!isLast)
            throw new AofLoadException("Fatal error: the truncated file is not the last file");
        _cutReason = "aof-load-truncated";
        return start;
    }

    private long EndMalformed(StoredFile file, AofFile one, long start, bool isLast)
    {
        long tail = file.Length - start;
        if (isLast && tail <= _options.CorruptTailBytesMax)
        {
            _target.Log(isWarning: true, $"!!! Warning: the AOF file {one.Name} has {tail} bytes without "
                + "sense at its end, within aof-load-corrupt-tail-max-size!!!");
            _cutReason = "aof-load-corrupt-tail-max-size";
            return start;
        }

        throw new AofLoadException($"Bad file format reading the append only file {one.Name}: make a backup "
            + "of your AOF file, then use ./redis-check-aof --fix <filename.manifest>");
    }

    private void Cut(AofFile one, long length)
    {
        string path = _directory.PathOf(one.Name);
        _target.Log(isWarning: true, $"!!! Truncating the AOF {one.Name} at offset {length} !!!");
        try
        {
            using StoredFile file = _directory.Files.Open(path, FileUse.Append);
            file.SetLength(length);
            file.Flush();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new AofLoadException(
                $"Error truncating the AOF file {one.Name}: {SystemErrorText.Of(fault, path)}");
        }

        _target.Log(isWarning: true, $"AOF {one.Name} loaded anyway because {_cutReason} is enabled");
    }

    private static bool Is(AofReader reader, ReadOnlySpan<byte> name)
    {
        ReadOnlySpan<byte> given = reader.Arguments[0].Span;
        return given.Length == name.Length && Ascii.EqualsIgnoreCase(given, name);
    }
}

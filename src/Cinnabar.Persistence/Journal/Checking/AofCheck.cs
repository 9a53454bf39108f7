// redis-check-aof: the words and exit codes are those of Debian's tool, since scripts read them. A file is a
// manifest, whose files are then checked in order, or a single file of an older server, whatever its name.

using System.IO;
using System.Linq;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>Checks an append-only file, and cuts it off on demand.</summary>
/// <param name="files">The file system.</param>
/// <param name="options">What to do.</param>
public sealed class AofCheck(FileSystem files, AofCheckOptions options)
{
    private const int Success = 0;
    private const int Failure = 1;
    private const int SnapshotBytesMin = 8;

    private readonly FileSystem _files = files;
    private readonly AofCheckOptions _options = options;
    private readonly TextWriter _output = options.Output;
    private long _lineCount = 1;

    /// <summary>Checks a manifest with its files, or a single file.</summary>
    /// <returns>The exit code.</returns>
    public int Run(string path)
    {
        try
        {
            if (!IsManifest(path))
                return CheckOldStyle(path) ? Success : Failure;
            _output.WriteLine("Start checking Multi Part AOF");
            return CheckManifest(path, ReadManifest(path)) ? Success : Failure;
        }
        catch (AofManifestException fault)
        {
            foreach (string text in fault.Report)
                _output.WriteLine(text);
            return Failure;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _output.WriteLine($"Cannot open file {path}: {SystemErrorText.Of(fault, path)}");
            return Failure;
        }
    }

    private bool IsManifest(string path)
    {
        using StoredFile file = _files.Open(path, FileUse.Read);
        var input = new AofCheckInput(file, 0);
        while (input.HasNext && input.Next == (byte)'#')
            input.ReadLine(int.MaxValue);
        return input.ReadLine().AsSpan().StartsWith("file"u8);
    }

    private AofManifest ReadManifest(string path)
    {
        using StoredFile file = _files.Open(path, FileUse.Read);
        byte[] text = new byte[file.Length];
        int count = 0;
        for (int read = -1; read != 0 && count < text.Length; count += read)
            read = file.Read(count, text.AsSpan(count));
        return AofManifest.Parse(text.AsSpan(0, count));
    }

    private bool CheckOldStyle(string path)
    {
        _output.WriteLine("Start checking Old-Style AOF");
        return Describe(CheckOne(path, path, isLast: true), path, "AOF");
    }

    private bool CheckManifest(string path, AofManifest manifest)
    {
        string directory = Path.GetDirectoryName(path) is { Length: > 0 } given ? given : ".";
        AofFile? last = manifest.Loaded.LastOrDefault();
        if (manifest.Base is { } one)
        {
            string format = BeginsWithSnapshot(Path.Combine(directory, one.Name)) ? "RDB" : "RESP";
            _output.WriteLine($"Start to check BASE AOF ({format} format).");
            if (!CheckPart(directory, one, one == last, "BASE AOF"))
                return false;
        }

        if (manifest.Increments.Count > 0)
            _output.WriteLine("Start to check INCR files.");
        foreach (AofFile increment in manifest.Increments)
        {
            if (!CheckPart(directory, increment, increment == last, "INCR AOF"))
                return false;
        }

        _output.WriteLine("All AOF files and manifest are valid");
        return true;
    }

    private bool CheckPart(string directory, AofFile one, bool isLast, string kind) =>
        Describe(CheckOne(Path.Combine(directory, one.Name), one.Name, isLast), one.Name, kind);

    private bool BeginsWithSnapshot(string path)
    {
        if (!_files.Exists(path))
            return false;
        using StoredFile file = _files.Open(path, FileUse.Read);
        return IsSnapshot(file);
    }

    // The tool of Redis takes no shorter file for one, though a server would.
    private static bool IsSnapshot(StoredFile file) =>
        file.Length >= SnapshotBytesMin && AofLoader.BeginsWithSnapshot(file);

    private bool Describe(AofCheckOutcome outcome, string name, string kind)
    {
        switch (outcome)
        {
            case AofCheckOutcome.Valid:
                _output.WriteLine($"{kind} {name} is valid");
                break;
            case AofCheckOutcome.Empty:
                _output.WriteLine($"{kind} {name} is empty");
                break;
            case AofCheckOutcome.Truncated:
                _output.WriteLine($"Successfully truncated AOF {name}");
                break;
            case AofCheckOutcome.TruncatedToTimestamp:
                _output.WriteLine(
                    $"Successfully truncated AOF {name} to timestamp {_options.TimestampSeconds}");
                break;
            default:
                return false;
        }

        return true;
    }

    private AofCheckOutcome CheckOne(string path, string name, bool isLast)
    {
        try
        {
            // To append would make a file that is missing.
            bool mayCut = (_options.IsFixing || _options.TimestampSeconds != 0) && _files.Exists(path);
            using StoredFile file = _files.Open(path, mayCut ? FileUse.Append : FileUse.Read);
            return file.Length == 0 ? AofCheckOutcome.Empty : CheckOpened(file, path, name, isLast);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _output.WriteLine($"Cannot open file {path}: {SystemErrorText.Of(fault, path)}, aborting...");
            return AofCheckOutcome.Failed;
        }
    }

    private AofCheckOutcome CheckOpened(StoredFile file, string path, string name, bool isLast)
    {
        long offset = 0;
        if (IsSnapshot(file))
        {
            if (_options.CheckSnapshot(file, name) is not { } end)
            {
                _output.WriteLine("RDB preamble of AOF file is not sane, aborting.");
                return AofCheckOutcome.Failed;
            }

            _output.WriteLine("RDB preamble is OK, proceeding with AOF tail...");
            offset = end;
        }

        AofCommandCheck check = CheckCommands(file, path, name, offset);
        _lineCount += check.LineCount;
        if (check.LaterOffset >= 0)
            return CutToTimestamp(file, path, name, check.LaterOffset, isLast);
        long diff = file.Length - check.ValidBytes;
        if (diff == 0 && _options.TimestampSeconds != 0)
        {
            _output.WriteLine($"Truncate nothing in AOF {name} to timestamp {_options.TimestampSeconds}");
            return AofCheckOutcome.Valid;
        }

        _output.WriteLine($"AOF analyzed: filename={name}, size={file.Length}, ok_up_to={check.ValidBytes}, "
            + $"ok_up_to_line={_lineCount}, diff={diff}");
        return diff == 0 ? AofCheckOutcome.Valid : Fix(file, name, check.ValidBytes, isLast);
    }

    // What is found is written when the progress is no longer shown.
    private AofCommandCheck CheckCommands(StoredFile file, string path, string name, long offset)
    {
        using var found = new StringWriter(CultureInfo.InvariantCulture) { NewLine = _output.NewLine };
        var check = new AofCommandCheck(new AofCheckInput(file, offset), path, name, found);
        using (ICheckProgress? progress = _options.Progress?.Invoke(file.Length))
            check.Run(_options.TimestampSeconds, progress);
        _output.Write(found);
        return check;
    }

    private AofCheckOutcome Fix(StoredFile file, string name, long validBytes, bool isLast)
    {
        if (!_options.IsFixing)
        {
            _output.WriteLine($"AOF {name} is not valid. Use the --fix option to try fixing it.");
            return AofCheckOutcome.Failed;
        }

        if (!isLast)
        {
            _output.WriteLine($"Failed to truncate AOF {name} because it is not the last file");
            return AofCheckOutcome.Failed;
        }

        _output.WriteLine($"This will shrink the AOF {name} from {file.Length} bytes, with "
            + $"{file.Length - validBytes} bytes, to {validBytes} bytes");
        _output.Write("Continue? [y/N]: ");
        if (_options.ReadAnswer()?.StartsWith("y", StringComparison.OrdinalIgnoreCase) != true)
        {
            _output.WriteLine("Aborting...");
            return AofCheckOutcome.Failed;
        }

        file.SetLength(validBytes);
        file.Flush();
        return AofCheckOutcome.Truncated;
    }

    private AofCheckOutcome CutToTimestamp(
        StoredFile file, string path, string name, long offset, bool isLast)
    {
        if (offset == 0)
        {
            _output.WriteLine(
                $"AOF {path} has nothing before timestamp {_options.TimestampSeconds}, aborting...");
            return AofCheckOutcome.Failed;
        }

        if (!isLast)
        {
            _output.WriteLine($"Failed to truncate AOF {path} to timestamp {_options.TimestampSeconds} to "
                + $"offset {offset} because it is not the last file.");
            _output.WriteLine("If you insist, please delete all files after this file according to the "
                + "manifest file and delete the corresponding records in manifest file manually. Then re-run "
                + "redis-check-aof.");
            return AofCheckOutcome.Failed;
        }

        file.SetLength(offset);
        file.Flush();
        return AofCheckOutcome.TruncatedToTimestamp;
    }
}

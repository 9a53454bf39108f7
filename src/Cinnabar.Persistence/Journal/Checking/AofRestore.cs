// Restores the data of a moment: copies a base and the increments behind it, up to the last command that was
// committed before, into a new directory, from which a server starts. Nothing of the original is changed.
//
// Where aof-disable-auto-gc keeps the history, earlier bases are there too. The manifest has it newest
// first, each base behind the increments that followed it:
//
//   h incr.4  h incr.3  h base.2  h incr.2  h base.1        base.2 ─► incr.3, incr.4 ─► (base.3, the present)
//
// The base of a restore is the last one that is not later than the moment. A snapshot says when it was taken
// (its field ctime), a base of commands in its first annotation.

using System.IO;
using System.Linq;
using Cinnabar.Persistence.Journal.Loading;

namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>Makes a directory with the data of a moment.</summary>
/// <param name="files">The file system.</param>
/// <param name="output">Where messages go.</param>
public sealed class AofRestore(FileSystem files, TextWriter output)
{
    private const string ManifestEnd = ".manifest";
    private const string DefaultDirectoryName = "appendonlydir";
    private const int CopyBytes = 1 << 20;
    private const int HeaderBytes = 512;

    private readonly FileSystem _files = files;
    private readonly TextWriter _output = output;

    /// <summary>Restores.</summary>
    /// <param name="from">The directory of the append-only file, or of the data around it.</param>
    /// <param name="to">The directory of the data of the new server; it has no append-only file.</param>
    /// <param name="seconds">The moment, Unix time in seconds: commands of that second are included.</param>
    /// <returns>Whether it was done; the output says what, or why not.</returns>
    public bool Run(string from, string to, long seconds)
    {
        try
        {
            return TryRun(from, to, seconds);
        }
        catch (AofManifestException fault)
        {
            return Refuse($"The manifest cannot be read: {fault.Message}");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return Refuse(fault.Message);
        }
    }

    private bool TryRun(string from, string to, long seconds)
    {
        if (FindDirectory(from) is not { } source)
            return Refuse($"There is no manifest of an append-only file in {from}");
        if (IsWithin(to, source.DirectoryPath))
            return Refuse($"{to} lies in the original: restore into a new directory");
        var target = new AofDirectory(_files, to, source.Name, source.FileName);
        if (_files.DirectoryExists(target.DirectoryPath))
            return Refuse($"{target.DirectoryPath} exists: restore into a new directory");
        List<AofFile> chosen = Choose(source, seconds);
        if (chosen.Count == 0)
            return Refuse($"The append-only file and its history begin after {Text(seconds)}");
        _files.CreateDirectory(target.DirectoryPath);
        AofManifest manifest = AofManifest.Empty;
        bool hasTimes = false;
        foreach (AofFile one in chosen)
        {
            bool isBase = one == chosen[0] && IsBase(source, one);
            (long length, bool isEnd) = LengthUntil(source, one, seconds, ref hasTimes);
            Copy(source.PathOf(one.Name), target.PathOf(one.Name), length);
            manifest = manifest.With(
                one with { Kind = isBase ? AofFileKind.Base : AofFileKind.Increment });
            _output.WriteLine($"{one.Name}: {length} bytes");
            if (isEnd)
                break;
        }

        if (!hasTimes)
            _output.WriteLine(
                "The increments have no timestamps (aof-timestamp-enabled): all of them is restored.");
        target.Store(manifest);
        _files.FlushDirectory(target.DirectoryPath);
        _output.WriteLine($"Restored the data of {Text(seconds)} into {to}. Start a server with --dir {to} "
            + $"--appendonly yes --appenddirname {source.Name} --appendfilename {source.FileName}");
        return true;
    }

    private static bool IsWithin(string path, string directory) =>
        (Path.GetFullPath(path) + Path.DirectorySeparatorChar).StartsWith(
            Path.GetFullPath(directory) + Path.DirectorySeparatorChar, StringComparison.Ordinal);

    private bool Refuse(string reason)
    {
        _output.WriteLine(reason);
        return false;
    }

    private AofDirectory? FindDirectory(string from)
    {
        string full = Path.GetFullPath(from);
        foreach (string path in (string[])[full, Path.Combine(full, DefaultDirectoryName)])
        {
            if (!_files.DirectoryExists(path))
                continue;
            string? name = _files.FilesIn(path).FirstOrDefault(static one =>
                one.EndsWith(ManifestEnd, StringComparison.Ordinal)
                && !one.StartsWith("temp-", StringComparison.Ordinal));
            if (name is not null)
                return new AofDirectory(_files, Path.GetDirectoryName(path)!, Path.GetFileName(path),
                    name[..^ManifestEnd.Length]);
        }

        return null;
    }

    /// <summary>The last base that is not later than a moment, with all increments behind it.</summary>
    private List<AofFile> Choose(AofDirectory source, long seconds)
    {
        AofManifest manifest = source.Load()!;
        AofFile[] all = [.. manifest.History.Reverse(), .. manifest.Loaded];
        int first = -1;
        for (int index = 0; index < all.Length; index++)
        {
            bool isPossible = IsBase(source, all[index])
                ? TimeOf(source, all[index]) is { } time && time <= seconds : index == 0;
            if (isPossible)
                first = index;
        }

        // A later base replaces no command: the increments between lead to it.
        return first < 0 ? [] : [all[first], .. all.Skip(first + 1).Where(one => !IsBase(source, one))];
    }

    private static bool IsBase(AofDirectory source, AofFile one) => one.Kind == AofFileKind.Base
        || one.Name == source.FileName || one.Name.Contains(".base.", StringComparison.Ordinal);

    // Unix seconds; null: the file does not say, and may be of any time.
    private long? TimeOf(AofDirectory source, AofFile one)
    {
        using StoredFile file = _files.Open(source.PathOf(one.Name), FileUse.Read);
        if (!AofLoader.BeginsWithSnapshot(file))
        {
            using var reader = new AofReader(file);
            return reader.Read() == AofItem.Annotation && reader.Seconds >= 0 ? reader.Seconds : null;
        }

        // The fields stand before the first key: a name and a number, as text or as a small integer.
        Span<byte> header = stackalloc byte[HeaderBytes];
        header = header[..file.Read(0, header)];
        int at = header.IndexOf("\u0005ctime"u8);
        if (at < 0 || at + 11 > header.Length)
            return null;
        ReadOnlySpan<byte> value = header[(at + 6)..];
        return value[0] == 0xC2 ? System.Buffers.Binary.BinaryPrimitives.ReadUInt32LittleEndian(value[1..])
            : value[0] < 0x40 && value.Length > value[0]
                && long.TryParse(value.Slice(1, value[0]), CultureInfo.InvariantCulture, out long time)
                    ? time : null;
    }

    /// <summary>How much of a file is not later than a moment.</summary>
    private (long Length, bool IsEnd) LengthUntil(
        AofDirectory source, AofFile one, long seconds, ref bool hasTimes)
    {
        using StoredFile file = _files.Open(source.PathOf(one.Name), FileUse.Read);
        if (AofLoader.BeginsWithSnapshot(file))
            return (file.Length, false);
        using var reader = new AofReader(file);
        while (true)
        {
            AofItem item = reader.Read();
            if (item == AofItem.Annotation && reader.Seconds >= 0)
            {
                hasTimes = true;
                if (reader.Seconds > seconds)
                    return (reader.Offset, true);
            }
            else if (item is not (AofItem.Command or AofItem.Annotation))
            {
                return (reader.Offset, item != AofItem.End);
            }
        }
    }

    private void Copy(string from, string to, long length)
    {
        using StoredFile source = _files.Open(from, FileUse.Read);
        using StoredFile target = _files.Open(to, FileUse.Create);
        byte[] buffer = new byte[CopyBytes];
        for (long done = 0; done < length;)
        {
            int read = source.Read(done, buffer.AsSpan(0, (int)Math.Min(buffer.Length, length - done)));
            if (read == 0)
                throw new IOException($"{from} has become shorter");
            target.Write(buffer.AsSpan(0, read));
            done += read;
        }

        target.Flush();
    }

    private static string Text(long seconds) => DateTimeOffset.FromUnixTimeSeconds(seconds).ToLocalTime()
        .ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);
}

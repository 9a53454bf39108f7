// Files in memory that forget as a machine does that loses power.
//
// A file has its bytes and those that a flush has made durable; a directory has its names and those that were
// there when it was flushed, or by chance later. What a failed flush should have made durable is dropped: no
// later flush makes it so. AfterPowerLoss draws what a disk might have: of each file's
// bytes beyond the durable ones any number of whole sectors, in any order, with zeros between them, or the
// length without the bytes; of changed names any number of the first.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Tests.Support.Files;

/// <summary>A file system for tests: it fails, fills up and loses power. Thread-safe.</summary>
public sealed class SimulatedFileSystem : FileSystem
{
    private const int NoSpace = 28;
    private const int BadDisk = 5;

    private readonly object _lock = new();
    private readonly Dictionary<string, SimulatedContent> _names = [];
    private readonly HashSet<string> _directories = ["/"];
    private readonly Dictionary<string, SimulatedContent> _durableNames = [];
    private readonly List<(string Path, SimulatedContent? Content)> _changes = [];

    /// <summary>Bytes that the disk has room for.</summary>
    public long Capacity { get; set; } = long.MaxValue;

    /// <summary>Bytes of all files.</summary>
    public long UsedBytes
    {
        get
        {
            lock (_lock)
                return _names.Values.Sum(static one => (long)one.Bytes.Count);
        }
    }

    /// <summary>Called before each operation that changes something, with its name ("write", "flush",
    /// "rename", "create", "delete", "cut", "names") and path; where it returns false, the operation
    /// fails.</summary>
    public Func<string, string, bool>? Changing { get; set; }

    /// <summary>Called with the path of a file before it is opened to be read.</summary>
    public Action<string>? Opening { get; set; }

    /// <summary>The most bytes that one read has asked for.</summary>
    public int ReadBytesMax { get; private set; }

    /// <summary>How many operations have changed something.</summary>
    public int ChangeCount { get; private set; }

    /// <summary>How often a file's flush was begun ahead of time.</summary>
    public int BegunFlushCount { get; internal set; }

    /// <summary>The bytes of a file.</summary>
    public byte[] Read(string path)
    {
        lock (_lock)
            return [.. _names[path].Bytes];
    }

    /// <summary>Makes a file, durable.</summary>
    public void Put(string path, ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            CreateDirectory(Path.GetDirectoryName(path)!);
            var content = new SimulatedContent();
            content.Bytes.AddRange(bytes);
            content.MakeDurable();
            _names[path] = _durableNames[path] = content;
        }
    }

    /// <summary>The paths of all files.</summary>
    public string[] Paths
    {
        get
        {
            lock (_lock)
                return [.. _names.Keys.Order(StringComparer.Ordinal)];
        }
    }

    /// <summary>What another process finds after this one was killed: all that was written, of which a power
    /// loss still leaves no more than what is durable.</summary>
    public SimulatedFileSystem AfterKill()
    {
        lock (_lock)
        {
            var copy = new SimulatedFileSystem();
            copy._directories.UnionWith(_directories);
            var copies = new Dictionary<SimulatedContent, SimulatedContent>();
            foreach ((string path, SimulatedContent content) in _names)
                copy._names[path] = CopyOf(content);
            foreach ((string path, SimulatedContent content) in _durableNames)
                copy._durableNames[path] = CopyOf(content);
            foreach ((string path, SimulatedContent? content) in _changes)
                copy._changes.Add((path, content is null ? null : CopyOf(content)));
            return copy;

            SimulatedContent CopyOf(SimulatedContent content)
            {
                if (!copies.TryGetValue(content, out SimulatedContent? other))
                    copies.Add(content, other = content.Copy());
                return other;
            }
        }
    }

    /// <summary>What the disk might have after a power loss.</summary>
    public SimulatedFileSystem AfterPowerLoss(ref RandomSource random)
    {
        lock (_lock)
        {
            var names = new Dictionary<string, SimulatedContent>(_durableNames);
            int changeCount = (int)random.NextBelow((ulong)_changes.Count + 1);
            foreach ((string path, SimulatedContent? content) in _changes.Take(changeCount))
            {
                if (content is null)
                    names.Remove(path);
                else
                    names[path] = content;
            }

            var copy = new SimulatedFileSystem();
            copy._directories.UnionWith(_directories);
            foreach ((string path, SimulatedContent content) in names)
                copy.Put(path, content.AfterPowerLoss(ref random));
            return copy;
        }
    }

    /// <inheritdoc/>
    public override StoredFile Open(string path, FileUse use)
    {
        lock (_lock)
        {
            if (use == FileUse.Read)
                Opening?.Invoke(path);
            bool exists = _names.TryGetValue(path, out SimulatedContent? content);
            if (!exists && use == FileUse.Read)
                throw new FileNotFoundException($"Could not find file '{path}'.");
            if (!_directories.Contains(Path.GetDirectoryName(path)!))
                throw new DirectoryNotFoundException($"Could not find a part of the path '{path}'.");
            if (!exists)
            {
                Change("create", path);
                Name(path, content = new SimulatedContent());
            }
            else if (use == FileUse.Create)
            {
                Change("cut", path);
                content!.Cut(0);
            }

            return new SimulatedFile(this, path, content!);
        }
    }

    /// <inheritdoc/>
    public override bool Exists(string path)
    {
        lock (_lock)
            return _names.ContainsKey(path);
    }

    /// <inheritdoc/>
    public override bool DirectoryExists(string path)
    {
        lock (_lock)
            return _directories.Contains(path);
    }

    /// <inheritdoc/>
    public override void CreateDirectory(string path)
    {
        lock (_lock)
        {
            for (string? one = path; !string.IsNullOrEmpty(one); one = Path.GetDirectoryName(one))
                _directories.Add(one);
        }
    }

    /// <inheritdoc/>
    public override string[] FilesIn(string directory)
    {
        lock (_lock)
            return [.. _names.Keys.Where(path => Path.GetDirectoryName(path) == directory)
                .Select(path => Path.GetFileName(path))];
    }

    /// <inheritdoc/>
    public override void Rename(string path, string newPath)
    {
        lock (_lock)
        {
            Change("rename", path);
            if (!_names.Remove(path, out SimulatedContent? content))
                throw new FileNotFoundException($"Could not find file '{path}'.");
            _names[newPath] = content;
            // One change: after a power loss the file has one of the names.
            _changes.Add((newPath, content));
            _changes.Add((path, null));
        }
    }

    /// <inheritdoc/>
    public override void Delete(string path)
    {
        lock (_lock)
        {
            Change("delete", path);
            if (_names.Remove(path))
                _changes.Add((path, null));
        }
    }

    /// <inheritdoc/>
    public override void FlushDirectory(string directory)
    {
        lock (_lock)
        {
            Change("names", directory);
            foreach ((string path, SimulatedContent? content) in _changes)
            {
                if (Path.GetDirectoryName(path) != directory)
                    continue;
                if (content is null)
                    _durableNames.Remove(path);
                else
                    _durableNames[path] = content;
            }

            _changes.RemoveAll(change => Path.GetDirectoryName(change.Path) == directory);
        }
    }

    internal int ReadAt(SimulatedContent content, long offset, Span<byte> bytes)
    {
        lock (_lock)
        {
            ReadBytesMax = Math.Max(ReadBytesMax, bytes.Length);
            int count = (int)Math.Clamp(content.Bytes.Count - offset, 0, bytes.Length);
            content.Bytes.GetRange((int)Math.Min(offset, content.Bytes.Count), count).ToArray().CopyTo(bytes);
            return count;
        }
    }

    internal long LengthOf(SimulatedContent content)
    {
        lock (_lock)
            return content.Bytes.Count;
    }

    internal void Write(string path, SimulatedContent content, ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            Change("write", path);
            long room = Capacity - UsedBytes;
            int count = (int)Math.Clamp(room, 0, bytes.Length);
            content.Bytes.AddRange(bytes[..count]);
            if (count < bytes.Length)
                throw new IOException("No space left on device", NoSpace);
        }
    }

    internal void Cut(string path, SimulatedContent content, long length)
    {
        lock (_lock)
        {
            Change("cut", path);
            content.Cut((int)length);
        }
    }

    internal void Flush(string path, SimulatedContent content)
    {
        lock (_lock)
        {
            if (!IsChanging("flush", path))
            {
                content.Drop();
                throw Failure();
            }

            content.MakeDurable();
        }
    }

    private void Name(string path, SimulatedContent content)
    {
        _names[path] = content;
        _changes.Add((path, content));
    }

    private void Change(string operation, string path)
    {
        if (!IsChanging(operation, path))
            throw Failure();
    }

    private bool IsChanging(string operation, string path)
    {
        if (Changing?.Invoke(operation, path) == false)
            return false;
        ChangeCount++;
        return true;
    }

    private static IOException Failure() => new("Input/output error", BadDisk);
}

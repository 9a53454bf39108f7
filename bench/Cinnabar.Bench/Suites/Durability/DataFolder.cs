using System;
using System.IO;
using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>A folder of its own for a server's files, in memory where the system has such a file system, so
/// that no disk is measured; deleted in the end.</summary>
internal sealed class DataFolder : IDisposable
{
    private const string MemoryFolder = "/dev/shm";
    private readonly string _path = Path.Combine(
        Directory.Exists(MemoryFolder) ? MemoryFolder : Path.GetTempPath(),
        $"cinnabar-bench-{Guid.NewGuid():N}");

    /// <summary>Makes it.</summary>
    public DataFolder() => Directory.CreateDirectory(_path);

    /// <summary>The size of the files of a name, in bytes.</summary>
    public long SizeOf(string file) => new FileInfo(Path.Combine(_path, file)).Length;

    /// <summary>A server that keeps its files here.</summary>
    /// <exception cref="LoadException">The server is one that is not started.</exception>
    public ServerSpec Of(ServerSpec spec) => WithOptions(spec, "--dir", _path);

    /// <summary>A server with more options, of redis-server's names.</summary>
    /// <exception cref="LoadException">The server is one that is not started.</exception>
    public static ServerSpec WithOptions(ServerSpec spec, params string[] options) => spec.Address is null
        ? spec with { Command = [.. spec.Command, .. options] }
        : throw new LoadException($"{spec.Name} runs already: its files cannot be measured");

    public void Dispose() => Directory.Delete(_path, recursive: true);
}

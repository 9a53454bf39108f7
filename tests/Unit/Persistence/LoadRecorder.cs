using System;
using System.Collections.Concurrent;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Notes what a load reports, a line each.</summary>
internal sealed class LoadRecorder : IRdbFileObserver
{
    /// <summary>The lines.</summary>
    public ConcurrentQueue<string> Lines { get; } = new();

    /// <summary>How far the load is.</summary>
    public RdbLoadProgress? Progress { get; private set; }

    public void Described(ReadOnlySpan<byte> name, ReadOnlySpan<byte> text) =>
        Lines.Enqueue($"{Of(name)}={Of(text)}");

    public void FunctionsFound(ReadOnlySpan<byte> code) => Lines.Enqueue($"function {Of(code)}");

    public void ModuleDataSkipped(RdbModuleId module) => Lines.Enqueue($"aux of {module.Name}");

    public void ChecksumRead(ulong stored, ulong computed) =>
        Lines.Enqueue(stored == 0 ? "no checksum" : stored == computed ? "checksum" : "wrong checksum");

    /// <summary>Called with each report of how far the load is.</summary>
    public Action<RdbLoadProgress>? Advancing { get; init; }

    public void Advanced(RdbLoadProgress progress)
    {
        Progress = progress;
        Advancing?.Invoke(progress);
    }

    public void EmptyKeySkipped(ReadOnlySpan<byte> key) => Lines.Enqueue($"empty {Of(key)}");

    public void ModuleKeySkipped(ReadOnlySpan<byte> key, string type) =>
        Lines.Enqueue($"module key {Of(key)} {type}");

    private static string Of(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);
}

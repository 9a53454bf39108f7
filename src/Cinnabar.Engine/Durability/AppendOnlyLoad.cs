using System.IO;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Loads the append-only file.</summary>
internal sealed class AppendOnlyLoad : IAofLoadTarget, IDisposable
{
    private readonly IDataServer _server;
    private readonly DataFiles _data;
    private readonly CancellationToken _stop;
    private readonly bool _isHolding;
    private readonly CommandReplay _commands;
    private readonly AofDirectory _directory;
    private LoadProgress? _progress;
    private long _doneBytes;

    /// <param name="server">The server.</param>
    /// <param name="data">Its files.</param>
    /// <param name="isHolding">Whether the caller holds all stripes.</param>
    /// <param name="stop">Ends the load.</param>
    public AppendOnlyLoad(IDataServer server, DataFiles data, bool isHolding, CancellationToken stop)
    {
        (_server, _data, _isHolding, _stop) = (server, data, isHolding, stop);
        _commands = server.MakeReplay(isHolding);
        _directory = data.AppendOnly.Directory;
    }

    ICommandReplay IAofLoadTarget.Replay => _commands;

    /// <summary>Loads it.</summary>
    /// <param name="started">Gets how far the load is, when that is known.</param>
    /// <returns>What was loaded.</returns>
    /// <exception cref="AofLoadException">It cannot be loaded.</exception>
    /// <exception cref="AofManifestException">Its manifest cannot be read.</exception>
    /// <exception cref="OperationCanceledException">The load was ended.</exception>
    public AofManifest Run(Action<LoadProgress> started)
    {
        (AofManifest manifest, bool isOldStyle) = _data.AppendOnly.Find();
        long totalBytes = 0;
        foreach (AofFile file in manifest.Loaded)
            totalBytes += Math.Max(0, _directory.LengthOf(file));
        _server.Libraries.Clear();
        started(_progress = new LoadProgress(_server.Clock.UnixMicroseconds, totalBytes));
        _data.AppendOnly.Load(manifest, isOldStyle, this);
        return manifest;
    }

    /// <inheritdoc/>
    public void Dispose() => _commands.Dispose();

    long? IAofLoadTarget.LoadSnapshot(StoredFile file, string name)
    {
        string path = _directory.PathOf(name);
        try
        {
            return _data.Loading.LoadFile(path, new DataLoadOptions
            {
                KeepsExpired = true,
                IsHoldingStripes = _isHolding,
            });
        }
        catch (Exception fault) when (
            fault is RdbFormatException or IOException or UnauthorizedAccessException)
        {
            LoadFailures.Write(_server.Log, path, fault);
            return null;
        }
    }

    void IAofLoadTarget.Log(bool isWarning, string message) =>
        _server.Log.Write(isWarning ? LogLevel.Warning : LogLevel.Notice, message);

    bool IAofLoadTarget.Wait()
    {
        KeyDelay delay = _data.Loading.Delay;
        delay.Wait(_stop);
        return delay.DelayUs != 0;
    }

    void IAofLoadTarget.Progress(long doneBytes, long totalBytes)
    {
        _stop.ThrowIfCancellationRequested();
        _progress!.Add(doneBytes - _doneBytes);
        _doneBytes = doneBytes;
        _progress.Report(_server.Log, _server.Clock.MonotonicNanoseconds);
    }
}

using System.IO;
using System.Threading;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>What the configuration says of RDB files.</summary>
internal sealed class RdbFileSettings(IDataServer server, WriteOptions writing)
{
    // As in INFO.
    private const string RedisVersion = "8.0.0";

    private readonly ConfigurationRegistry _configuration = server.Configuration;
    private readonly Keyspace.Keyspace _keyspace = server.Keyspace;
    private readonly Clock _clock = server.Clock;
    private readonly WriteOptions _writing = writing;

    /// <summary>Tells where in a replication stream the data are; null: in none. Called under all
    /// stripes.</summary>
    public Func<StoredMoment?>? Moment { get; set; }

    /// <summary>The names of a file that is written now.</summary>
    public RdbFilePlace PlaceIn(FileSystem files, string directory)
    {
        string pattern = ConfigurationText.ToPath(_configuration.TextOf("dbfilename"));
        string name = RdbFileName.IsPattern(pattern) && files.DirectoryExists(directory)
            ? RdbFileName.Next(pattern, _clock.UnixMicroseconds, files.FilesIn(directory))
            : RdbFileName.At(pattern, _clock.UnixMicroseconds);
        return new RdbFilePlace(directory, RdbFilePlace.TemporaryNameOf(Environment.ProcessId), name);
    }

    /// <summary>How a file is written now.</summary>
    /// <param name="cancellation">Ends its waits.</param>
    /// <param name="isJournalBase">Whether it is the base of an append-only file.</param>
    /// <param name="level">The oldest Redis that is to read it; null: the configured one.</param>
    public RdbFileOptions Options(
        CancellationToken cancellation, bool isJournalBase = false, RdbCompatibility? level = null) =>
        _writing.ForFile(_clock.UnixMicroseconds / 1000, isJournalBase, level) with
        {
            Cancellation = cancellation,
        };

    /// <summary>What a file says of itself. The caller holds all stripes, or writes an empty file.</summary>
    /// <param name="isJournalBase">Whether it is the base of an append-only file.</param>
    public KeyValuePair<string, string>[] Notes(bool isJournalBase = false)
    {
        long nowS = _clock.UnixMicroseconds / 1_000_000;
        StoredMoment? moment = isJournalBase ? null : Moment?.Invoke();
        KeyValuePair<string, string>[] ofStream = moment is not { } place ? [] :
        [
            new("repl-stream-db", place.Database.ToString(CultureInfo.InvariantCulture)),
            new("repl-id", place.Id),
            new("repl-offset", place.Offset.ToString(CultureInfo.InvariantCulture)),
        ];
        return
        [
            new("redis-ver", RedisVersion),
            new("redis-bits", "64"),
            new("ctime", nowS.ToString(CultureInfo.InvariantCulture)),
            new("used-mem", _keyspace.UsedBytes.ToString(CultureInfo.InvariantCulture)),
            .. ofStream,
            new("aof-base", isJournalBase ? "1" : "0"),
        ];
    }

    /// <summary>What the log says of a save that failed, in Redis's words.</summary>
    public static string FailureText(Exception fault, RdbFilePlace place)
    {
        string text = SystemErrorText.Of((fault as FileStepException)?.Fault ?? fault, place.Directory);
        return fault switch
        {
            FileStepException { Step: FileStep.Open } => $"Failed opening the temp RDB file "
                + $"{place.TemporaryName} (in server root dir {place.Directory}) for saving: {text}",
            FileStepException { Step: FileStep.Rename } => $"Error moving temp DB file {place.TemporaryName} "
                + $"on the final destination {place.Name} (in server root dir {place.Directory}): {text}",
            FileStepException { Step: FileStep.FlushDirectory } =>
                $"Failed to fsync directory while saving DB: {text}",
            FileStepException => $"Write error saving DB on disk(fsync): {text}",
            _ => $"Write error saving DB on disk(rdbSaveRio): {text}",
        };
    }

    /// <summary>Deletes the oldest files of their own names (<c>snapshot-keep</c>). What cannot be deleted
    /// stays, and the log says so.</summary>
    /// <param name="files">Where they are.</param>
    /// <param name="directory">Their directory.</param>
    /// <param name="keptPath">One that is not whole in memory, and stays; or null.</param>
    /// <param name="log">The log.</param>
    public void DeleteOld(
        FileSystem files, string directory, string? keptPath, Action<LogLevel, string> log)
    {
        string pattern = ConfigurationText.ToPath(_configuration.TextOf("dbfilename"));
        long keepCount = _configuration.NumberOf("snapshot-keep");
        if (keepCount == 0 || !RdbFileName.IsPattern(pattern))
            return;
        try
        {
            List<string> names = RdbFileName.Matching(pattern, files.FilesIn(directory));
            for (int index = 0; index < names.Count - keepCount; index++)
            {
                string path = Path.Combine(directory, names[index]);
                if (path != keptPath)
                    files.Delete(path);
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            log(LogLevel.Warning, $"Can't remove old snapshots: {SystemErrorText.Of(fault, directory)}");
        }
    }
}

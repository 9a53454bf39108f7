using System.IO;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>The files of a rewrite: its base, and those that the base is to replace.</summary>
/// <param name="log">The log.</param>
/// <param name="data">The server's files.</param>
/// <param name="files">What it replaces.</param>
/// <param name="place">The base's temporary names.</param>
/// <param name="isSnapshot">Whether the base is a snapshot.</param>
internal sealed class RewriteFiles(
    ILog log, DataFiles data, AofFiles files, RdbFilePlace place, bool isSnapshot)
{
    private readonly ILog _log = log;
    private readonly DataFiles _data = data;

    /// <summary>What it replaces.</summary>
    public AofFiles Files => files;

    /// <summary>The base's temporary names.</summary>
    public RdbFilePlace Place => place;

    /// <summary>Makes the complete base the base.</summary>
    /// <param name="stuck">Null, or the file whose switch is stuck: it goes on in the next
    /// increment.</param>
    /// <returns>Whether that is so, and stays so after a power loss.</returns>
    public bool TryAdopt(AofWriter? stuck)
    {
        _log.Write(LogLevel.Notice, "Background AOF rewrite terminated with success");
        try
        {
            if (stuck is null)
            {
                files.AdoptBase(place.Path, isSnapshot, hasIncrement: _data.Journal.IsOn);
                return true;
            }

            StoredFile next = files.AdoptBaseAndIncrement(place.Path, isSnapshot, out string? doubt);
            stuck.SkipSwitch(next, doubt);
            return doubt is null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, $"Error trying to make {place.Name} the AOF base file: "
                + SystemErrorText.Of(fault, place.Directory));
            return false;
        }
    }

    /// <summary>Removes the base of a rewrite that has failed.</summary>
    public void RemoveTemporary()
    {
        try
        {
            if (_data.Files.Exists(place.Path))
                _data.Files.Delete(place.Path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, $"The temporary AOF base file stays behind: "
                + SystemErrorText.Of(fault, place.Directory));
        }
    }
}

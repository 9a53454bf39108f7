// The files of a running server's append-only file. The manifest is replaced before a new file gets its first
// byte, and after the files that it no longer names for good are superfluous; so after a crash at any moment
// the stored manifest names the data:
//
//   start      no increment: a new one is made and named
//   rewrite    an increment is made before the moment (PrepareIncrement), and named once the one before it is
//              complete and durable (AdoptIncrement); the new base is renamed to its name and named, together
//              with the history it leaves (AdoptBase); the history is deleted and forgotten (DeleteHistory)
//   full disk  the increment before the moment cannot be completed: the new base and the prepared increment
//              are named in one step (AdoptBaseAndIncrement)
//   switch on  the first increment has a temporary name until its base is there (PrepareFirst, AdoptBase)

using System.IO;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Makes, names and deletes the files. Thread-safe.</summary>
/// <param name="directory">Where they are.</param>
/// <param name="observer">The server.</param>
/// <param name="clock">The source of time.</param>
public sealed class AofFiles(AofDirectory directory, IAofObserver observer, Clock clock)
{
    private readonly AofDirectory _directory = directory;
    private readonly FileSystem _files = directory.Files;
    private readonly IAofObserver _observer = observer;
    private readonly Clock _clock = clock;
    private readonly Lock _lock = new();
    private AofManifest? _prepared;
    private string? _firstName;

    /// <summary>The manifest that is stored.</summary>
    public AofManifest Manifest { get; private set; } = AofManifest.Empty;

    /// <summary>Where they are.</summary>
    public AofDirectory Directory => _directory;

    /// <summary>Goes on with a manifest that has been loaded.</summary>
    public void Adopt(AofManifest manifest) => Manifest = manifest;

    /// <summary>Bytes of all files that a start would load.</summary>
    public long LoadedBytes => Manifest.Loaded.Sum(LengthOf);

    /// <summary>Bytes of the base.</summary>
    public long BaseBytes => Manifest.Base is { } one ? LengthOf(one) : 0;

    /// <summary>Opens the last increment, or a new one where there is none.</summary>
    /// <exception cref="IOException">It fails.</exception>
    public StoredFile OpenAtStart()
    {
        lock (_lock)
        {
            _files.CreateDirectory(_directory.DirectoryPath);
            if (Manifest.Increments.Count > 0)
            {
                string name = Manifest.Increments[^1].Name;
                StoredFile last = _files.Open(_directory.PathOf(name), FileUse.Append);
                _observer.Log(isWarning: false, $"Opening AOF incr file {name} on server start");
                // Clients will see what was loaded: also what a killed server had not made durable. Where it
                // was killed while it tried to switch, that is in an increment before the last.
                foreach (AofFile one in Manifest.Increments.SkipLast(1))
                {
                    using StoredFile earlier = _files.Open(_directory.PathOf(one.Name), FileUse.Append);
                    earlier.Flush();
                }

                last.Flush();
                _files.FlushDirectory(_directory.DirectoryPath);
                return last;
            }

            AofManifest next = Manifest.WithIncrement(_directory.FileName);
            _observer.Log(isWarning: false,
                $"Creating AOF incr file {next.Increments[^1].Name} on server start");
            // A file of the name that no manifest knows of keeps what it has, as in Redis.
            StoredFile file = _files.Open(_directory.PathOf(next.Increments[^1].Name), FileUse.Append);
            Store(next);
            return file;
        }
    }

    /// <summary>Makes the increment that follows, before the moment of a rewrite.</summary>
    /// <exception cref="IOException">It fails; the message is Redis's.</exception>
    public void PrepareIncrement()
    {
        lock (_lock)
        {
            AofManifest next = Manifest.WithIncrement(_directory.FileName);
            string name = next.Increments[^1].Name;
            _directory.Create(name).Dispose();
            _observer.Log(isWarning: false, $"Creating AOF incr file {name} on background rewrite");
            _prepared = next;
        }
    }

    /// <summary>Names the prepared increment and opens it.</summary>
    /// <returns>Null where that fails: the file before it goes on.</returns>
    public StoredFile? AdoptIncrement()
    {
        lock (_lock)
        {
            if (_prepared is not { } next)
                return null;
            _prepared = null;
            try
            {
                StoredFile file = _files.Open(_directory.PathOf(next.Increments[^1].Name), FileUse.Append);
                Store(next);
                return file;
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                _observer.Log(isWarning: true,
                    $"Can't persist the AOF manifest for the next incr file: "
                    + SystemErrorText.Of(fault, _directory.ManifestPath));
                return null;
            }
        }
    }

    /// <summary>Makes the increment of an append-only file that is being switched on. It counts when the base
    /// is there.</summary>
    /// <exception cref="IOException">It fails; the message is Redis's.</exception>
    public StoredFile PrepareFirst()
    {
        lock (_lock)
        {
            _firstName = $"temp-{_directory.FileName}.incr";
            _observer.Log(isWarning: false, $"Creating AOF incr file {_firstName} on background rewrite");
            return _directory.Create(_firstName);
        }
    }

    /// <summary>Deletes the increment of one that was switched off before it had a base.</summary>
    public void DropFirst()
    {
        lock (_lock)
        {
            if (_firstName is not { } name)
                return;
            _firstName = null;
            _observer.Log(isWarning: false, $"Removing the temp incr aof file {name} in the background");
            try
            {
                _files.Delete(_directory.PathOf(name));
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                _observer.Log(isWarning: true, $"Can't remove it: {SystemErrorText.Of(fault, name)}");
            }
        }
    }

    /// <summary>Makes a written base the base, with the last increment behind it.</summary>
    /// <param name="temporaryPath">The base, complete and durable.</param>
    /// <param name="isSnapshot">Whether it is a snapshot.</param>
    /// <param name="hasIncrement">Whether commands are appended behind it.</param>
    /// <exception cref="IOException">It fails: the stored manifest is what it was.</exception>
    public void AdoptBase(string temporaryPath, bool isSnapshot, bool hasIncrement)
    {
        lock (_lock)
        {
            _files.CreateDirectory(_directory.DirectoryPath);
            AofManifest next = Manifest.WithBase(_directory.FileName, isSnapshot);
            int keptCount = hasIncrement && _firstName is null ? 1 : 0;
            next = next.WithoutIncrements(Math.Min(keptCount, next.Increments.Count));
            string? first = hasIncrement ? _firstName : null;
            next = first is null ? next : next.WithIncrement(_directory.FileName);
            // A full disk fails this, while the base still has the name that it is removed by.
            _directory.Stage(next);
            Rename("base", temporaryPath, next.Base!.Name);
            if (first is not null)
            {
                Rename("incr", _directory.PathOf(first), next.Increments[^1].Name);
                _firstName = next.Increments[^1].Name;
            }

            try
            {
                _directory.Replace();
                _files.FlushDirectory(_directory.DirectoryPath);
                Manifest = next;
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // It may be stored nevertheless: another base must not take the name of this one.
                Manifest = Manifest.WithoutReuse(next);
                throw;
            }

            _firstName = null;
        }
    }

    /// <summary>Makes a written base the base, with the prepared increment behind it: all others are
    /// history.</summary>
    /// <param name="temporaryPath">The base, complete and durable.</param>
    /// <param name="isSnapshot">Whether it is a snapshot.</param>
    /// <param name="doubt">The system's text where a power loss may bring back the manifest of before; or
    /// null. A process that reads the directory finds the new one, so the increment of before must not go
    /// on.</param>
    /// <returns>The increment, opened.</returns>
    /// <exception cref="IOException">It fails: the stored manifest is what it was.</exception>
    public StoredFile AdoptBaseAndIncrement(string temporaryPath, bool isSnapshot, out string? doubt)
    {
        lock (_lock)
        {
            Debug.Assert(_prepared is not null, "the moment has an increment behind it");
            AofManifest next = Manifest.WithBase(_directory.FileName, isSnapshot).WithoutIncrements(0)
                .WithIncrement(_directory.FileName);
            StoredFile file = _files.Open(_directory.PathOf(next.Increments[^1].Name), FileUse.Append);
            try
            {
                _directory.Stage(next);
                Rename("base", temporaryPath, next.Base!.Name);
                _directory.Replace();
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                file.Dispose();
                Manifest = Manifest.WithoutReuse(next);
                throw;
            }

            (Manifest, _prepared) = (next, null);
            doubt = TryFlushNames();
            return file;
        }
    }

    private string? TryFlushNames()
    {
        try
        {
            _files.FlushDirectory(_directory.DirectoryPath);
            return null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return SystemErrorText.Of(fault, _directory.DirectoryPath);
        }
    }

    /// <summary>Deletes the history, unless it is to be kept.</summary>
    public void DeleteHistory()
    {
        lock (_lock)
        {
            if (Manifest.History.Count == 0)
                return;
            try
            {
                foreach (AofFile file in Manifest.History)
                {
                    _observer.Log(isWarning: false,
                        $"Removing the history file {file.Name} in the background");
                    _files.Delete(_directory.PathOf(file.Name));
                }

                Store(Manifest.WithoutHistory());
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                // The manifest still names it: it is deleted after the next rewrite, or at the next start.
                _observer.Log(isWarning: true, "Can't remove the AOF history: "
                    + SystemErrorText.Of(fault, _directory.DirectoryPath));
            }
        }
    }

    private long LengthOf(AofFile file)
    {
        long startNs = _clock.MonotonicNanoseconds;
        long length = Math.Max(0, _directory.LengthOf(file));
        NoteWait(AofWait.Fstat, startNs);
        return length;
    }

    private void NoteWait(AofWait wait, long startNs) =>
        _observer.NoteWait(wait, (_clock.MonotonicNanoseconds - startNs) / 1000);

    private void Rename(string kind, string path, string name)
    {
        long startNs = _clock.MonotonicNanoseconds;
        try
        {
            _files.Rename(path, _directory.PathOf(name));
            NoteWait(AofWait.Rename, startNs);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _observer.Log(isWarning: true, $"Error trying to rename the temporary AOF {kind} file "
                + $"{Path.GetFileName(path)} into {name}: {SystemErrorText.Of(fault, path)}");
            throw;
        }

        _observer.Log(isWarning: false,
            $"Successfully renamed the temporary AOF {kind} file {Path.GetFileName(path)} into {name}");
    }

    private void Store(AofManifest manifest)
    {
        _directory.Store(manifest);
        Manifest = manifest;
    }
}

using System.IO;
using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Writes and flushes of a file that may fail. Guarded by its owner.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
internal sealed class AofDisk(Clock clock, IAofObserver observer)
{
    // A full disk fails every second; the log need not say so every time.
    private const long LogNs = 30_000_000_000;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private long _loggedNs = long.MinValue / 2;

    /// <summary>How long each write sleeps first, in microseconds.</summary>
    internal long SleepUs { get; set; }

    /// <summary>Makes a file durable.</summary>
    /// <returns>Null, or the system's text for what failed.</returns>
    internal static string? TryFlush(StoredFile file)
    {
        try
        {
            file.Flush();
            return null;
        }
        catch (Exception fault) when (IsOfDisk(fault))
        {
            return TextOf(fault);
        }
    }

    /// <summary>Appends to a file. Where that fails, what was written of the bytes is cut off again, so that
    /// the file ends with a command.</summary>
    /// <param name="file">The file.</param>
    /// <param name="bytes">The bytes.</param>
    /// <param name="isFlushing">Whether the file is being made durable.</param>
    /// <param name="error">Null, or the system's text for what failed.</param>
    /// <returns>How many of the bytes are in the file.</returns>
    internal int Append(StoredFile file, ReadOnlySpan<byte> bytes, bool isFlushing, out string? error)
    {
        // As in Redis, what is asked for by DEBUG is not counted as the disk's.
        if (SleepUs > 0)
            _clock.Sleep(SleepUs);
        long startNs = _clock.MonotonicNanoseconds;
        int done = Append(file, bytes, out error);
        long tookUs = (_clock.MonotonicNanoseconds - startNs) / 1000;
        AofWait wait = isFlushing ? AofWait.WritePendingFsync
            : _observer.IsSaving ? AofWait.WriteActiveChild : AofWait.WriteAlone;
        _observer.NoteWait(wait, tookUs);
        _observer.NoteWait(AofWait.Write, tookUs);
        return done;
    }

    private int Append(StoredFile file, ReadOnlySpan<byte> bytes, out string? error)
    {
        long before = file.Length;
        try
        {
            file.Write(bytes);
            error = null;
            return bytes.Length;
        }
        catch (Exception fault) when (IsOfDisk(fault))
        {
            error = TextOf(fault);
        }

        return TakeBack(file, before, bytes.Length, error);
    }

    private int TakeBack(StoredFile file, long before, int expected, string error)
    {
        int done = (int)(file.Length - before);
        long nowNs = _clock.MonotonicNanoseconds;
        bool isLogged = nowNs - _loggedNs > LogNs;
        if (isLogged)
        {
            _loggedNs = nowNs;
            _observer.Log(isWarning: true, done == 0
                ? $"Error writing to the AOF file: {error}"
                : $"Short write while writing to the AOF file: (nwritten={done}, expected={expected})");
        }

        if (done == 0)
            return 0;
        try
        {
            file.SetLength(before);
            return 0;
        }
        catch (Exception fault) when (IsOfDisk(fault))
        {
            if (isLogged)
                _observer.Log(isWarning: true, "Could not remove short write from the append-only file.  "
                    + "Redis may refuse to load the AOF the next time it starts.  ftruncate: "
                    + TextOf(fault));
            return done;
        }
    }

    private static string TextOf(Exception fault) => SystemErrorText.Of(fault, "");

    private static bool IsOfDisk(Exception fault) => fault is IOException or UnauthorizedAccessException;
}

namespace Cinnabar.Platform;

/// <summary>
/// The report that a fatal signal writes to the log. The handlers are C code linked into the native server
/// (see fatal_signals.c); managed programs and Windows have none: there this only says that the process is
/// the server's own.
/// </summary>
public sealed unsafe class CrashReport
{
    // SAFETY: never freed, for a handler may read it at any time.
    private readonly Block* _block;
    private ActivityPage? _page; // Keeps it alive.

    /// <summary>Makes it; for a whole process, once.</summary>
    /// <param name="version">The server's version, with which the first line begins.</param>
    public CrashReport(string version)
    {
        _block = (Block*)NativeMemory.AllocZeroed((nuint)sizeof(Block));
        _block->Version = (byte*)Marshal.StringToCoTaskMemUTF8(version);
    }

    /// <summary>Whether a crash is reported; the process ends by its signal in any case.</summary>
    public bool IsEnabled
    {
        get => _block->IsEnabled != 0;
        set => _block->IsEnabled = value ? 1 : 0;
    }

    /// <summary>Installs the handlers, on the main thread; once.</summary>
    /// <param name="logPath">The log file; null: standard output.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Install(string? logPath)
    {
        Debug.Assert(_block->LogPath == null, "the handlers are installed once");
        _block->LogPath = (byte*)Marshal.StringToCoTaskMemUTF8(logPath);
        if (RuntimeFeature.IsDynamicCodeSupported || OperatingSystem.IsWindows())
            return;
        if (LibC.InstallFatalSignals(_block) != 0)
            throw new InvalidOperationException("the handlers of fatal signals cannot be installed");
    }

    /// <summary>Makes reports show what these threads are doing; null: none.</summary>
    public void Show(ActivityPage? page)
    {
        Debug.Assert(page is null || _page is null, "a process is one server's own");
        // ORDER: the row count is 0 in between, so a handler never reads missing rows. A stale row costs only
        // a wrong line in a report.
        _block->RowCount = 0;
        _block->Rows = page is null ? null : page.Rows;
        _block->RowCount = page is null ? 0 : page.RowCount;
        _page = page;
    }

    // fatal_signals.c has the same layout.
    [StructLayout(LayoutKind.Sequential)]
    private struct Block
    {
        public byte* LogPath;
        public byte* Version;
        public ActivityRow* Rows;
        public int RowCount;
        public int IsEnabled;
    }
}

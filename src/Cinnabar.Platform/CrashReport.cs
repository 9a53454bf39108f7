using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cinnabar.Platform;

/// <summary>
/// What a process that a fatal signal ends writes to its log. The handlers are C that is linked into the
/// native server (fatal_signals.c says what they do); a managed program has none, nor has Windows: there this
/// only says that the process is the server's own.
/// </summary>
public sealed unsafe class CrashReport
{
    // SAFETY: never freed, for a handler may read it at any time.
    private readonly Block* _block;
    private ActivityPage? _page; // Keeps it alive.

    /// <summary>Makes it; for a whole process, once.</summary>
    /// <param name="version">Which server it is: what the first line begins with.</param>
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

    /// <summary>Has reports say what these threads are doing; null: none any more.</summary>
    public void Show(ActivityPage? page)
    {
        Debug.Assert(page is null || _page is null, "a process is one server's own");
        // ORDER: a handler reads no more rows than there are at any moment: their count is 0 in between. It
        // may run on any thread, but what it reads in vain is only a line of a report.
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

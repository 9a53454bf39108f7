using System;
using System.Buffers.Text;
using System.IO;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform;

/// <summary>How much of this process is in physical memory; every call asks the system anew. Any thread may
/// ask.</summary>
/// <remarks>Linux is asked through a file that stays open, once somebody has asked: to open it takes longer
/// than to read it.</remarks>
public sealed class ResidentMemory : IDisposable
{
    // Seven numbers of at most 20 digits.
    private const int LineLengthMax = 160;

    private readonly Lazy<SafeFileHandle> _file = new(static () => File.OpenHandle("/proc/self/statm"));

    /// <summary>Bytes in physical memory now.</summary>
    public long Bytes => OperatingSystem.IsLinux() ? ReadSecondNumber() : Environment.WorkingSet;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_file.IsValueCreated)
            _file.Value.Dispose();
    }

    private long ReadSecondNumber()
    {
        Span<byte> text = stackalloc byte[LineLengthMax];
        text = text[..RandomAccess.Read(_file.Value, text, 0)];
        return Utf8Parser.TryParse(text[(text.IndexOf((byte)' ') + 1)..], out long pageCount, out _)
            ? pageCount * Environment.SystemPageSize
            : throw new InvalidDataException("/proc/self/statm has no such number");
    }
}

using System.Buffers.Text;
using System.IO;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform;

/// <summary>How much of this process is in physical memory; every call asks the system. Any thread may
/// ask.</summary>
/// <remarks>On Linux the file that says so stays open: opening it takes longer than reading it, and fails
/// when descriptors have run out.</remarks>
public sealed class ResidentMemory : IDisposable
{
    // Seven numbers of at most 20 digits.
    private const int LineLengthMax = 160;

    private readonly SafeFileHandle? _file =
        OperatingSystem.IsLinux() ? File.OpenHandle("/proc/self/statm") : null;

    /// <summary>Bytes in physical memory now.</summary>
    public long Bytes => _file is null ? Environment.WorkingSet : ReadSecondNumber(_file);

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();

    private static long ReadSecondNumber(SafeFileHandle file)
    {
        Span<byte> text = stackalloc byte[LineLengthMax];
        text = text[..RandomAccess.Read(file, text, 0)];
        return Utf8Parser.TryParse(text[(text.IndexOf((byte)' ') + 1)..], out long pageCount, out _)
            ? pageCount * Environment.SystemPageSize
            : throw new InvalidDataException("/proc/self/statm has no such number");
    }
}

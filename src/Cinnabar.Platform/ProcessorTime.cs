using System;
using System.Buffers.Text;
using System.IO;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform;

/// <summary>
/// How long the processors that this process may use have been idle, all programs of the machine included.
/// Linux only; one caller at a time.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class ProcessorTime : IDisposable
{
    private const int MaskSize = 128;

    private const string Path = "/proc/stat";

    private readonly SafeFileHandle _file = File.OpenHandle(Path);
    private byte[] _text = new byte[4096];

    private ProcessorTime()
    {
    }

    /// <summary>Ticks of all these processors together since the machine has started.</summary>
    public long TotalTicks { get; private set; }

    /// <summary>Of these, how many were idle.</summary>
    public long IdleTicks { get; private set; }

    /// <summary>Number of these processors.</summary>
    public int Count { get; private set; }

    /// <summary>Opens it; null where the system does not tell.</summary>
    public static ProcessorTime? TryOpen() => File.Exists(Path) ? new ProcessorTime() : null;

    /// <summary>Reads all of it anew.</summary>
    public void Read()
    {
        int length;
        while ((length = RandomAccess.Read(_file, _text, 0)) == _text.Length)
            _text = new byte[2 * _text.Length];
        Span<byte> mask = stackalloc byte[MaskSize];
        int maskLength;
        // SAFETY: the call writes at most as many bytes as it is told that there are. 0 is this process.
        fixed (byte* place = mask)
            maskLength = LibC.GetAffinity(0, MaskSize, place);
        (TotalTicks, IdleTicks, Count) = (0, 0, 0);
        ReadOnlySpan<byte> text = _text.AsSpan(0, length);
        foreach (Range line in text.Split((byte)'\n'))
            Add(text[line], maskLength < 0 ? default : mask);
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    // A processor's line is "cpu3 user nice system idle iowait irq softirq steal guest guest_nice".
    private void Add(ReadOnlySpan<byte> line, ReadOnlySpan<byte> mask)
    {
        if (!line.StartsWith("cpu"u8) || !Utf8Parser.TryParse(line[3..], out int processor, out int used))
            return;
        if (processor / 8 < mask.Length && (mask[processor / 8] & (1 << (processor % 8))) == 0)
            return;
        Count++;
        line = line[(3 + used)..];
        for (int field = 0; field < 8 && line.Length > 1; field++)
        {
            if (!Utf8Parser.TryParse(line[1..], out long ticks, out used))
                return;
            line = line[(1 + used)..];
            TotalTicks += ticks;
            if (field is 3 or 4)
                IdleTicks += ticks;
        }
    }
}

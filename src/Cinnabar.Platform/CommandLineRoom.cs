// The memory that Linux shows as a process's command line (ps, top, /proc/<pid>/cmdline); a server shows its
// title there. It holds the strings of the arguments and, behind them, those of the environment:
//
//   arg start                 arg end = env start                                 env end
//   | argv[0] 0 argv[1] 0 ... | NAME=value 0 NAME=value 0 ...                     |
//
// If the last byte of the arguments is not zero, the system shows the text up to the first zero in the
// environment: this is how programs show titles longer than their arguments. So before the first title the
// environment's strings are copied and the C library's table is pointed to the copies, which stay until the
// process ends.
//
// Why not prctl(PR_SET_MM): the single words need a privilege, and the whole map needs the end of the heap,
// which other threads move. The runtime has its own copies of arguments and environment since its start.

using System.IO;

namespace Cinnabar.Platform;

/// <summary>The memory of this process's command line.</summary>
public sealed unsafe class CommandLineRoom
{
    private const string StatusPath = "/proc/self/stat";
    private const string LinePath = "/proc/self/cmdline";

    // The state is the first field behind the name.
    private const int ArgumentsStartField = 45;

    private readonly Lock _lock = new();
    private readonly byte* _start;
    private readonly int _size;

    private CommandLineRoom(byte* start, int size, string program)
    {
        Debug.Assert(start != null && size > 0, "there is no room");
        _start = start;
        _size = size;
        Program = program;
    }

    /// <summary>The program as it was called: the first argument.</summary>
    public string Program { get; }

    /// <summary>Finds the room; null where the system has none, or does not say where it is.</summary>
    public static CommandLineRoom? TryFind()
    {
        if (!OperatingSystem.IsLinux() || !File.Exists(StatusPath) || !File.Exists(LinePath))
            return null;
        string status = File.ReadAllText(StatusPath);
        string[] fields = status[(status.LastIndexOf(')') + 2)..].Split(' ');
        Span<ulong> bounds = stackalloc ulong[4];
        for (int index = 0; index < bounds.Length; index++)
        {
            int field = ArgumentsStartField + index;
            if (field >= fields.Length
                || !ulong.TryParse(fields[field], CultureInfo.InvariantCulture, out bounds[index]))
                return null;
        }

        byte[] line = File.ReadAllBytes(LinePath);
        byte* start = (byte*)bounds[0];
        ulong size = bounds[1] - bounds[0];
        if (start == null || size is 0 or > int.MaxValue || line.Length == 0)
            return null;
        // SAFETY: the system says that the arguments lie there, and they stay as long as the process; that it
        // shows the same bytes is the proof.
        int shownSize = Math.Min(line.Length, (int)size);
        if (!new ReadOnlySpan<byte>(start, shownSize).SequenceEqual(line.AsSpan(0, shownSize)))
            return null;
        bool isLong = bounds[2] == bounds[1] && bounds[3] - bounds[0] <= int.MaxValue
            && TryMoveEnvironment((byte*)bounds[2], (byte*)bounds[3]);
        int end = Array.IndexOf(line, (byte)0);
        string program = Encoding.UTF8.GetString(line, 0, end < 0 ? line.Length : end);
        return new CommandLineRoom(start, (int)(bounds[isLong ? 3 : 1] - bounds[0]), program);
    }

    /// <summary>Shows a title in place of the command line, cut to the room. Any thread.</summary>
    public void Show(string title)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(title);
        lock (_lock)
        {
            // SAFETY: the room is the process's own, as long as it lives; its last byte stays a zero.
            Span<byte> room = new(_start, _size);
            ReadOnlySpan<byte> shown = bytes.AsSpan(0, Math.Min(bytes.Length, _size - 1));
            shown.CopyTo(room);
            room[shown.Length..].Clear();
        }
    }

    private static bool TryMoveEnvironment(byte* start, byte* end)
    {
        if (!NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), "environ", out nint table))
            return false;
        // SAFETY: the C library's table of pointers ends with a null. One store replaces each pointer by one
        // to a copy that is never freed; a thread that has read the old pointer still finds the string until
        // a title is shown.
        for (byte** entry = *(byte***)table; entry != null && *entry != null; entry++)
        {
            byte* old = *entry;
            if (old < start || old >= end)
                continue;
            int size = MemoryMarshal.CreateReadOnlySpanFromNullTerminated(old).Length + 1;
            byte* copy = (byte*)NativeMemory.Alloc((nuint)size);
            new ReadOnlySpan<byte>(old, size).CopyTo(new Span<byte>(copy, size));
            // ORDER: the copy is complete before it is seen.
            Volatile.Write(ref *(nint*)entry, (nint)copy);
        }

        return true;
    }
}

// The directory of threads is read by direct calls: the run time's own functions for directories and files
// are some eighty methods, and a process that looks into it often has each of them compiled, twice.
using System;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Cinnabar.Platform;

// SAFETY: the system calls get buffers on the stack with their lengths, and paths that end with a zero byte.
/// <summary>The names of this process's threads. Only on Linux.</summary>
internal static unsafe class ThreadNames
{
    private const int NameLengthMax = 15;
    private const int ListingSize = 2048;
    private const int PathSize = 48;

    // struct linux_dirent64: the entry's length in bytes, and its name, which ends with a zero byte.
    private const int LengthPlace = 16;
    private const int NamePlace = 19;

    private static readonly nint s_readDirectory =
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 61 : 217;

    private static ReadOnlySpan<byte> Tasks => "/proc/self/task\0"u8;

    /// <summary>The threads that have a name; none where the system does not tell.</summary>
    /// <param name="name">The name, of which Linux keeps the first 15 bytes; null: any.</param>
    public static List<int> Find(string? name)
    {
        List<int> found = [];
        if (!OperatingSystem.IsLinux()
            || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
            return found;
        Span<byte> wanted = stackalloc byte[NameLengthMax];
        Encoding.UTF8.GetEncoder().Convert(
            name ?? "", wanted, flush: true, out _, out int length, out _);
        wanted = wanted[..length];
        int folder;
        fixed (byte* path = Tasks)
            folder = LibC.Open(path, LibC.OpenForReading);
        if (folder < 0)
            return found;
        byte* listing = stackalloc byte[ListingSize];
        long count;
        while ((count = LibC.SystemCall(s_readDirectory, folder, listing, ListingSize, 0)) > 0)
            Add(new ReadOnlySpan<byte>(listing, (int)count), wanted, isAny: name is null, found);
        _ = LibC.Close(folder);
        return found;
    }

    private static void Add(
        ReadOnlySpan<byte> listing, ReadOnlySpan<byte> wanted, bool isAny, List<int> found)
    {
        Span<byte> bytes = stackalloc byte[NameLengthMax + 1];
        while (listing.Length > NamePlace)
        {
            int length = BinaryPrimitives.ReadUInt16LittleEndian(listing[LengthPlace..]);
            bool isThread = Utf8Parser.TryParse(listing[NamePlace..length], out int thread, out _);
            if (isThread && (isAny || bytes[..Read(thread, bytes)].SequenceEqual(wanted)))
                found.Add(thread);
            listing = listing[length..];
        }
    }

    // A thread that has ended since the directory was read has no name any more.
    private static int Read(int thread, Span<byte> name)
    {
        Span<byte> path = stackalloc byte[PathSize];
        path.Clear();
        Tasks.CopyTo(path);
        int length = Tasks.Length;
        path[length - 1] = (byte)'/';
        Utf8Formatter.TryFormat(thread, path[length..], out int digits);
        "/comm"u8.CopyTo(path[(length + digits)..]);
        int file;
        fixed (byte* start = path)
            file = LibC.Open(start, LibC.OpenForReading);
        if (file < 0)
            return 0;
        nint count;
        fixed (byte* start = name)
            count = LibC.Read(file, start, (nuint)name.Length);
        _ = LibC.Close(file);
        return count > 0 && name[(int)count - 1] == '\n' ? (int)count - 1 : 0;
    }
}

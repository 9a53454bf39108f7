using System.IO;
using System.Runtime.Versioning;

namespace Cinnabar.Platform.Files;

/// <summary>Directories as files, on Linux and macOS.</summary>
[UnsupportedOSPlatform("windows")]
internal static unsafe class UnixDirectory
{
    private const int ReadOnly = 0;
    private const int Interrupted = 4;

    /// <summary>Makes a directory's names survive a power loss.</summary>
    /// <exception cref="IOException">The directory cannot be opened, or the disk fails.</exception>
    internal static void Flush(string directory)
    {
        byte[] path = Encoding.UTF8.GetBytes(directory + '\0');
        int descriptor;
        fixed (byte* place = path)
            descriptor = LibC.OpenFile(place, ReadOnly);
        if (descriptor < 0)
            throw Failure(directory);
        try
        {
            while (LibC.FlushFile(descriptor) != 0)
            {
                if (Marshal.GetLastPInvokeError() != Interrupted)
                    throw Failure(directory);
            }
        }
        finally
        {
            LibC.Close(descriptor);
        }
    }

    private static IOException Failure(string directory)
    {
        int number = Marshal.GetLastPInvokeError();
        return new IOException($"{directory}: {Marshal.GetPInvokeErrorMessage(number)}", number);
    }
}

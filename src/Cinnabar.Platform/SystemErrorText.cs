using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Cinnabar.Platform;

/// <summary>
/// What the C library calls the faults of files, which is what operators and scripts look for.
/// </summary>
public static class SystemErrorText
{
    // A fault that the runtime has no type for carries the system's error number as its result.
    private const int ErrorNumberEnd = 4096;

    /// <summary>The text of a fault.</summary>
    /// <param name="fault">What was thrown.</param>
    /// <param name="path">The file that it was thrown for.</param>
    public static string Of(Exception fault, string path) => fault switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        PathTooLongException => "File name too long",
        UnauthorizedAccessException when Directory.Exists(path) => "Is a directory",
        UnauthorizedAccessException => "Permission denied",
        IOException { HResult: > 0 and < ErrorNumberEnd } when !OperatingSystem.IsWindows() =>
            Marshal.GetPInvokeErrorMessage(fault.HResult),
        _ => fault.Message,
    };
}

using System.IO;

namespace Cinnabar.Platform;

/// <summary>
/// The C library's texts for errors of files, which operators and scripts look for.
/// </summary>
public static class SystemErrorText
{
    // An exception without a type of its own carries the system's error number as its HResult.
    private const int ErrorNumberEnd = 4096;

    /// <summary>The text of an exception.</summary>
    /// <param name="fault">The exception.</param>
    /// <param name="path">The file.</param>
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

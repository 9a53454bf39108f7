using System;
using System.IO;

namespace Cinnabar.Server;

/// <summary>
/// What the C library calls the faults of files, which is what operators and scripts look for.
/// </summary>
internal static class SystemErrorText
{
    internal static string Of(Exception fault, string path) => fault switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException when Directory.Exists(path) => "Is a directory",
        UnauthorizedAccessException => "Permission denied",
        _ => fault.Message,
    };
}

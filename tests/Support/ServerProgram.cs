using System;
using System.IO;

namespace Cinnabar.Tests.Support;

/// <summary>
/// The program that tests start as a server: the one that CINNABAR_SERVER names, which is the native binary
/// when <c>./x test</c> runs them, else the managed build beside the tests.
/// </summary>
public static class ServerProgram
{
    /// <summary>Its path.</summary>
    public static string FilePath { get; } = Path.GetFullPath(
        Environment.GetEnvironmentVariable("CINNABAR_SERVER") ?? "cinnabar-server", AppContext.BaseDirectory);

    /// <summary>Whether it was compiled ahead of time.</summary>
    public static bool IsNative { get; } = !File.Exists(FilePath + ".dll");
}

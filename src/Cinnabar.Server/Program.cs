namespace Cinnabar.Server;

/// <summary>The executable <c>cinnabar-server</c>: command line, configuration file, composition
/// root.</summary>
internal static class Program
{
    private static int Main() => 1;
}

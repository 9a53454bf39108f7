namespace Cinnabar.Lab.Naive;

internal static class Program
{
    private static int Main(string[] arguments) => StationProcess.Run("naive",
        () => new StationOptions(arguments, ["--autoflush"], []),
        options => new NaiveServer(options.Has("--autoflush")).ServeAsync);
}

using Cinnabar.Engine;

namespace Cinnabar.Server;

/// <summary>The texts of <c>--version</c> and <c>--help</c>.</summary>
internal static class BuildInformation
{
    /// <summary>One line in the form of redis-server's own.</summary>
    internal static string Version =>
        $"Cinnabar server v={ServerVersion.Redis} sha={ServerVersion.Commit}:0 malloc=arenas bits={Bits} "
            + $"build={ServerVersion.Commit} cinnabar={ServerVersion.Cinnabar} {Form}";

    /// <summary>Whether the program was compiled ahead of time.</summary>
    internal static string Form => RuntimeFeature.IsDynamicCodeSupported ? "managed" : "native";

    /// <summary>The beginning of a crash report.</summary>
    internal static string ShortVersion =>
        $"Cinnabar {ServerVersion.Cinnabar} (Redis {ServerVersion.Redis}, commit {ServerVersion.Commit})";

    /// <summary>The width of an address.</summary>
    internal static int Bits => nint.Size * 8;

    /// <summary>
    /// The picture of <c>always-show-logo</c>: a crystal of cinnabar. Test harnesses read the process id from
    /// it, so its words are Redis's.
    /// </summary>
    internal static string Logo(string port, int processId) =>
        $"""

                /\
               /  \        Cinnabar {ServerVersion.Cinnabar} (Redis {ServerVersion.Redis}) {Bits} bit
              /____\
             /\    /\      Running in standalone mode
            /  \  /  \     Port: {port}
            \   \/   /     PID: {processId}
             \  /\  /
              \/  \/
               \  /
                \/

        """;

    internal const string Help =
        """
        Usage: cinnabar-server [/path/to/redis.conf] [options] [-]
               cinnabar-server - (read the configuration from standard input)
               cinnabar-server -v or --version
               cinnabar-server -h or --help
               cinnabar-server --check-system
               cinnabar-server --check-rdb <file>
               cinnabar-server --check-aof <file> [--fix] [--truncate-to-timestamp <seconds>]
               cinnabar-server --restore-until "2026-11-23 10:00:00" <from> <to>

        With --import-from redis[s]://[[user]:password@]host[:port] the server imports the data of another
        one while it serves (docs/migrating.md).

        Options are directives of redis.conf with two dashes; they override the file.

        Examples:
               cinnabar-server (run with the default configuration)
               echo 'maxclients 100' | cinnabar-server -
               cinnabar-server /etc/redis/redis.conf
               cinnabar-server --port 7777
               cinnabar-server /etc/redis/redis.conf --loglevel verbose -
               cinnabar-server /etc/redis/redis.conf --loglevel verbose

        """;
}

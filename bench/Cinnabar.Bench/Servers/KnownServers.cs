using System;
using System.IO;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Servers;

/// <summary>The servers with a name on the command line. CINNABAR_SERVER names the program
/// of ours, which is the native binary under <c>./x bench</c>; without it, it is the managed build.</summary>
internal sealed class KnownServers(string root)
{
    /// <summary>The default reference of ratios.</summary>
    public const string Reference = "redis";

    /// <summary>The prefix of the names of this repository's server.</summary>
    public const string Own = "cinnabar";

    /// <summary>The null server, which stores nothing.</summary>
    public const string Floor = "floor";

    /// <summary>The null server over io_uring.</summary>
    public const string FloorRing = "floor-uring";

    /// <summary>The size of the null server's values in the suites, in bytes.</summary>
    public const int FloorDataSize = 256;

    /// <summary>Reads <c>name=executable</c> of a server with redis-server's command line, or
    /// <c>name=command with {port}</c>.</summary>
    /// <exception cref="LoadException">It is neither.</exception>
    public static ServerSpec ParseBinary(string text) => ServerSpec.Parse(
        text.Contains(ServerSpec.PortPlace, StringComparison.Ordinal) ? text
            : $"{text} --port {ServerSpec.PortPlace} --unixsocket {ServerSpec.SocketPlace}");

    /// <summary>Reads a server as given on the command line: a known name, <c>name=command with {port}</c> or
    /// <c>name@address</c>.</summary>
    /// <exception cref="LoadException">It is none of these.</exception>
    public ServerSpec Parse(string text, int floorDataSize = FloorDataSize)
    {
        string cinnabar = Environment.GetEnvironmentVariable("CINNABAR_SERVER")
            ?? Path.Combine(root, "artifacts/native/Cinnabar.Server/cinnabar-server");
        string[]? command = text switch
        {
            Reference =>
            [
                "redis-server", "--port", "{port}", "--unixsocket", "{socket}", "--save", "",
                "--appendonly", "no",
            ],
            "cinnabar" => [cinnabar, "--port", "{port}", "--unixsocket", "{socket}", "--save", ""],
            "cinnabar-uring" =>
            [
                cinnabar, "--port", "{port}", "--unixsocket", "{socket}", "--transport", "io_uring",
                "--save", "",
            ],
            "cinnabar-epoll" =>
            [
                cinnabar, "--port", "{port}", "--unixsocket", "{socket}", "--transport", "epoll",
                "--save", "",
            ],
            "cinnabar-portable" => [cinnabar, "--port", "{port}", "--transport", "portable", "--save", ""],
            Floor or FloorRing =>
                [Environment.ProcessPath!, text, "--port", "{port}", "--data-size", $"{floorDataSize}"],
            _ => null,
        };
        return command is null ? ServerSpec.Parse(text) : new() { Name = text, Command = command };
    }
}

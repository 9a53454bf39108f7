using System;
using System.Collections.Generic;
using System.IO;
using Cinnabar.Bench.Load;

namespace Cinnabar.Bench.Servers;

/// <summary>A server to measure: what it is called in results, and the command that starts it, with
/// <c>{p}</c> for its port. Blanks part the command's words; quotes keep them together.</summary>
internal sealed record ServerSpec(string Name, string Command)
{
    /// <summary>The reference that all ratios are taken to.</summary>
    public const string Reference = "redis";

    /// <summary>The null server: answers GETs of present keys, of any workload with 256-byte
    /// values.</summary>
    public const string Floor = "null";

    /// <summary>Whether this is the null server, which keeps nothing and answers only GETs.</summary>
    public bool IsFloor => Name == Floor;

    /// <summary>Reads a server as given on the command line: a known name, or <c>name=command</c>.</summary>
    /// <exception cref="LoadException">The name is not known.</exception>
    public static ServerSpec Parse(string text, string root)
    {
        int equals = text.IndexOf('=', StringComparison.Ordinal);
        if (equals > 0) return new(text[..equals], text[(equals + 1)..]);
        string cinnabar = Path.Combine(root, "src/Cinnabar.Server/bin/Release/net10.0/cinnabar-server");
        return text switch
        {
            Reference => new(text, "redis-server --port {p} --save '' --appendonly no"),
            "cinnabar" => new(text, $"'{cinnabar}' --port {{p}}"),
            "cinnabar-portable" => new(text, $"'{cinnabar}' --port {{p}} --transport portable"),
            Floor => new(text, $"'{Environment.ProcessPath}' null-server {{p}} 36 264"),
            _ => throw new LoadException($"no server is called {text}: give name=command"),
        };
    }

    /// <summary>The words of the command for a port.</summary>
    public IReadOnlyList<string> Words(int port)
    {
        var words = new List<string>();
        string word = "";
        bool isOpen = false;
        char quote = '\0';
        foreach (char letter in Command.Replace("{p}", port.ToString(), StringComparison.Ordinal))
        {
            if (letter == quote) quote = '\0';
            else if (quote == '\0' && letter is ('\'' or '"')) (quote, isOpen) = (letter, true);
            else if (quote != '\0' || letter != ' ') (word, isOpen) = (word + letter, true);
            else if (isOpen)
            {
                words.Add(word);
                (word, isOpen) = ("", false);
            }
        }
        if (isOpen) words.Add(word);
        return words;
    }
}

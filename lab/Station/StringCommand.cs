using System;
using System.Collections.Generic;

namespace Cinnabar.Lab;

/// <summary>A command of line one, as strings; a character is a byte (Latin-1).</summary>
/// <param name="Kind">What is asked for.</param>
/// <param name="Key">The key of GET and SET.</param>
/// <param name="Value">The value of SET, what PING gives back, or the error's text.</param>
public readonly record struct StringCommand(StringCommandKind Kind, string Key, string? Value)
{
    private const int NameSizeMax = 128;

    /// <summary>The command that the arguments make; what is wrong with them becomes an error.</summary>
    public static StringCommand Parse(List<string> arguments)
    {
        string name = arguments[0];
        if (name.Equals("GET", StringComparison.OrdinalIgnoreCase))
            return arguments.Count == 2 ? new(StringCommandKind.Get, arguments[1], null) : WrongCount("get");
        if (name.Equals("SET", StringComparison.OrdinalIgnoreCase))
        {
            return arguments.Count == 3 ? new(StringCommandKind.Set, arguments[1], arguments[2])
                : arguments.Count < 3 ? WrongCount("set") : Error("ERR syntax error");
        }

        if (name.Equals("PING", StringComparison.OrdinalIgnoreCase))
        {
            return arguments.Count > 2 ? WrongCount("ping")
                : new(StringCommandKind.Ping, "", arguments.Count == 2 ? arguments[1] : null);
        }

        return Unknown(name);
    }

    /// <summary>The whole reply in RESP.</summary>
    /// <param name="found">What GET found; null: nothing.</param>
    public string Reply(string? found) => Kind switch
    {
        StringCommandKind.Get => found is null ? "$-1\r\n" : $"${found.Length}\r\n{found}\r\n",
        StringCommandKind.Set => "+OK\r\n",
        StringCommandKind.Ping => Value is null ? "+PONG\r\n" : $"${Value.Length}\r\n{Value}\r\n",
        _ => $"-{Value}\r\n",
    };

    private static StringCommand Error(string text) => new(StringCommandKind.Error, "", text);

    private static StringCommand WrongCount(string name) =>
        Error($"ERR wrong number of arguments for '{name}' command");

    // The name comes from the client: it must not end the error's line early.
    private static StringCommand Unknown(string name) => Error("ERR unknown command '"
        + name[..Math.Min(name.Length, NameSizeMax)].Replace('\r', ' ').Replace('\n', ' ')
        + "', with args beginning with: ");
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Load.Requests;

namespace Cinnabar.Load.Servers;

/// <summary>A server to measure, and its name in results: either the command that starts it, with
/// <c>{port}</c> for its port and optionally <c>{socket}</c> for the path of its unix socket, or the address
/// of a running one.</summary>
public sealed record ServerSpec
{
    /// <summary>The placeholder of the port in a command.</summary>
    public const string PortPlace = "{port}";

    /// <summary>The placeholder of the unix socket's path in a command.</summary>
    public const string SocketPlace = "{socket}";

    /// <summary>Its name in results.</summary>
    public required string Name { get; init; }

    /// <summary>The words of the command that starts it; empty for a running one.</summary>
    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>Its address if it runs already; null: it is started.</summary>
    public ServerAddress? Address { get; init; }

    /// <summary>Variables that are added to the environment of one that is started.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } =
        new Dictionary<string, string>();

    /// <summary>The folder in which it is started; null: one of its own, deleted when it has
    /// stopped.</summary>
    public string? Folder { get; init; }

    /// <summary>Reads <c>name=command with {port}</c> (blanks part words, quotes keep them together) or
    /// <c>name@address</c>.</summary>
    /// <exception cref="LoadException">It is neither.</exception>
    public static ServerSpec Parse(string text)
    {
        int end = text.AsSpan().IndexOfAny('=', '@');
        if (end <= 0)
            throw new LoadException($"a server is name=command with {PortPlace}, or name@host:port: {text}");
        (string name, string rest) = (text[..end], text[(end + 1)..]);
        if (text[end] == '@') return new() { Name = name, Address = ServerAddress.Parse(rest) };
        IReadOnlyList<string> words = CommandTemplate.SplitWords(rest);
        return words.Any(word => word.Contains(PortPlace, StringComparison.Ordinal))
            ? new() { Name = name, Command = words }
            : throw new LoadException($"{name} cannot get its port: {PortPlace} is missing in {rest}");
    }

    /// <summary>Whether one that is started listens on a unix socket too.</summary>
    internal bool HasSocket => Command.Any(word => word.Contains(SocketPlace, StringComparison.Ordinal));

    /// <summary>The command's words for a port and a unix socket.</summary>
    internal IEnumerable<string> Words(int port, string socket) => Command.Select(word => word
        .Replace(PortPlace, port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
        .Replace(SocketPlace, socket, StringComparison.Ordinal));
}

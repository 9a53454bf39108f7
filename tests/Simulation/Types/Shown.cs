using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Replies on one line, as <see cref="RespValue"/> shows them; of errors the code.</summary>
internal static class Shown
{
    public const string Ok = "+OK";
    public const string Null = "_";
    public const string None = "*";
    public const string Error = "-ERR";
    public const string WrongType = "-WRONGTYPE";
    public const string NoGroup = "-NOGROUP";
    public const string Busy = "-BUSY";
    public const string BusyTransaction = "-EXECABORT";

    /// <summary>The reply of a killed client, which is never sent.</summary>
    public const string Killed = "killed";

    /// <summary>An integer.</summary>
    public static string Integer(long number) => string.Create(CultureInfo.InvariantCulture, $":{number}");

    /// <summary>A bulk string that is an integer.</summary>
    public static string Number(long number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    /// <summary>A bulk string, or null.</summary>
    public static string Bulk(string? text) => text is null ? Null : $"${text}";

    /// <summary>An array.</summary>
    public static string Many(params IEnumerable<string> items)
    {
        string all = string.Join(", ", items);
        return all.Length == 0 ? None : $"*[{all}]";
    }

    /// <summary>A reply as it came.</summary>
    public static string Of(RespValue reply) => reply.Kind switch
    {
        '-' => $"-{reply.Text.Split(' ')[0]}",
        '*' => Many(reply.Items.Select(Of)),
        _ => reply.ToString(),
    };

    /// <summary>A reply whose items come in any order.</summary>
    public static string Sorted(RespValue reply) => reply.Kind != '*'
        ? Of(reply)
        : Many(reply.Items.Select(Of).Order(System.StringComparer.Ordinal));

    /// <summary>A reply whose items come in pairs in any order.</summary>
    public static string SortedPairs(RespValue reply) => reply.Kind != '*'
        ? Of(reply)
        : Many(reply.Items.Select(Of).Chunk(2).OrderBy(static pair => pair[0], System.StringComparer.Ordinal)
            .SelectMany(static pair => pair));
}

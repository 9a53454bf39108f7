using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation;

/// <summary>Commands that a client sends together, and the check of their replies.</summary>
/// <param name="Bytes">The commands in RESP.</param>
/// <param name="ReplyCount">Number of replies.</param>
/// <param name="Accept">Checks the replies; throws if they are wrong.</param>
internal sealed record Request(byte[] Bytes, int ReplyCount, Action<IReadOnlyList<RespValue>> Accept)
{
    /// <summary>Whether a pause of writers holds it back.</summary>
    public bool IsWrite { get; init; }

    /// <summary>Whether it may wait for a key: a client that ends its side then gets no reply.</summary>
    public bool MayWait { get; init; }

    /// <summary>Whether it is refused before the check for a pause.</summary>
    public bool IsRefused { get; init; }

    /// <summary>Commands whose replies are not looked at.</summary>
    public static Request Any(params string[][] commands) => new(
        [.. commands.SelectMany(static command => RespClient.Encode(command))], commands.Length,
        static _ => { });

    /// <summary>One command whose reply is known.</summary>
    public static Request Of(string[] command, Func<RespValue, bool> isRight) => new(
        RespClient.Encode(command), 1, replies =>
        {
            if (!isRight(replies[0]))
            {
                throw new InvalidDataException(
                    $"{Short(string.Join(' ', command))} got {Short(replies[0].ToString())}");
            }
        });

    /// <summary>Commands of which one is answered, with a reply that is known.</summary>
    public static Request Of(byte[] bytes, Func<RespValue, bool> isRight) => new(
        bytes, 1, replies =>
        {
            if (!isRight(replies[0]))
            {
                string commands = Encoding.Latin1.GetString(bytes).ReplaceLineEndings(" ");
                throw new InvalidDataException($"{Short(commands)} got {Short(replies[0].ToString())}");
            }
        });

    /// <summary>The beginning of a text that may be long.</summary>
    public static string Short(string text) =>
        text.Length <= 160 ? text : $"{text[..160]}... ({text.Length})";
}

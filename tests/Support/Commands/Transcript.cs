using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Support.Commands;

// A conversation as text, one step a line:
//
//     SET k v EX 10 => +OK                 a command and its reply, written as Reply.ToString writes it
//     SET k ""                             a command whose reply does not matter
//     @advance 1000                        a second passes
//     @stored k => Int 9000 ms             how a key's value is stored, and how long it will stay
//     @events => Set k, Expire k           the events since the last such line
//     @changes => 1                        the changes that the last command counted
//     @foreign k                           makes a key of another type than string
//     @resp 3                              chooses the protocol
//     @select 1                            chooses the database
//     @reap                                removes what is past its deadline, as the housekeeping does
//
// A reply may follow on a line of its own that starts with "=>", and go on on lines that start with "..".
// Words stand between spaces; "" is an empty word, \x00 a byte, \s a space.

/// <summary>Plays a conversation against a <see cref="CommandHarness"/>.</summary>
public static class Transcript
{
    private const string Arrow = " => ";

    /// <summary>Runs every line; the first reply that is not the expected one throws.</summary>
    public static void Play(CommandHarness harness, string text)
    {
        foreach (string line in Join(text))
        {
            int arrow = line.IndexOf(Arrow, StringComparison.Ordinal);
            string command = arrow < 0 ? line : line[..arrow];
            string actual = command[0] == '@'
                ? Direct(harness, command[1..].Split(' '))
                : Run(harness, command);
            string? expected = arrow < 0 ? null : line[(arrow + Arrow.Length)..];
            if (expected is not null && expected != actual)
                throw new InvalidOperationException($"{command}\n  expected {expected}\n  got      {actual}");
        }
    }

    /// <summary>Runs one command and returns its reply as text.</summary>
    public static string Run(CommandHarness harness, string command)
    {
        List<byte[]> words = [];
        foreach (string word in command.Split(' '))
            words.Add(Unescape(word));
        byte[] bytes = harness.RunBytes([.. words]);
        ReplyReadOutcome outcome = ReplyReader.Read(bytes, out Reply? reply, out int consumed);
        if (reply is null || consumed != bytes.Length)
        {
            string text = Encoding.Latin1.GetString(bytes);
            throw new InvalidOperationException($"{command}: {outcome} in {text}");
        }

        return reply.ToString();
    }

    /// <summary>The lines without those that only continue the one before.</summary>
    private static List<string> Join(string text)
    {
        List<string> lines = [];
        foreach (string raw in text.Split('\n'))
        {
            string line = raw.Trim();
            if (line.StartsWith("=> ", StringComparison.Ordinal))
                lines[^1] += " " + line;
            else if (line.StartsWith(".. ", StringComparison.Ordinal))
                lines[^1] += line[2..];
            else if (line.Length > 0)
                lines.Add(line);
        }

        return lines;
    }

    private static string Direct(CommandHarness harness, string[] words)
    {
        switch (words[0])
        {
            case "advance":
                harness.Advance(long.Parse(words[1], CultureInfo.InvariantCulture));
                return "";
            case "stored":
                return harness.Describe(words[1]) ?? "missing";
            case "events":
                return harness.TakeEvents();
            case "changes":
                return harness.ChangeCount.ToString(CultureInfo.InvariantCulture);
            case "foreign":
                harness.MakeForeign(words[1]);
                return "";
            case "select":
                harness.Database = int.Parse(words[1], CultureInfo.InvariantCulture);
                return "";
            case "reap":
                harness.Reap();
                return "";
            case "resp":
                harness.Protocol = int.Parse(words[1], CultureInfo.InvariantCulture);
                return "";
            default:
                throw new InvalidOperationException($"no directive @{words[0]}");
        }
    }

    private static byte[] Unescape(string word)
    {
        if (word == "\"\"")
            return [];
        List<byte> bytes = [];
        for (int index = 0; index < word.Length; index++)
        {
            if (word[index] != '\\')
            {
                bytes.Add((byte)word[index]);
            }
            else if (word[index + 1] == 's')
            {
                bytes.Add((byte)' ');
                index++;
            }
            else
            {
                bytes.Add(Convert.ToByte(word.Substring(index + 2, 2), 16));
                index += 3;
            }
        }

        return [.. bytes];
    }
}

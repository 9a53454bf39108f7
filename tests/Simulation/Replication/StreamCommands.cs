using System;
using System.Buffers.Text;
using System.IO;
using System.Text;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>Reads the commands of a replication stream; strict: what is no command is a failure.</summary>
internal static class StreamCommands
{
    /// <summary>Reads one command.</summary>
    /// <param name="bytes">The stream.</param>
    /// <param name="position">Where it begins; where it ends, afterwards.</param>
    /// <returns>Its name in capitals; null where it is not complete yet.</returns>
    /// <exception cref="InvalidDataException">It is none.</exception>
    public static string? TryRead(ReadOnlySpan<byte> bytes, ref int position)
    {
        int next = position;
        string? name = null;
        if (!TryNumber(bytes, '*', ref next, out int count))
            return null;
        for (int index = 0; index < count; index++)
        {
            if (!TryNumber(bytes, '$', ref next, out int length) || bytes.Length - next < length + 2)
                return null;
            if (!bytes.Slice(next + length, 2).SequenceEqual("\r\n"u8))
                throw new InvalidDataException("an argument of the stream has no end");
            name ??= Encoding.Latin1.GetString(bytes.Slice(next, length)).ToUpperInvariant();
            next += length + 2;
        }

        position = next;
        return name ?? throw new InvalidDataException("a command of the stream is empty");
    }

    private static bool TryNumber(ReadOnlySpan<byte> bytes, char kind, ref int position, out int number)
    {
        number = 0;
        ReadOnlySpan<byte> rest = bytes[position..];
        if (!rest.IsEmpty && rest[0] != kind)
            throw new InvalidDataException($"{(char)rest[0]} stands in the stream, not {kind}");
        int end = rest.IndexOf("\r\n"u8);
        if (end < 0)
            return false;
        if (!Utf8Parser.TryParse(rest[1..end], out number, out int used) || used != end - 1 || number < 0)
            throw new InvalidDataException("a number of the stream is none");
        position += end + 2;
        return true;
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Lab.Runner.Stations;

/// <summary>Asks a server single questions, each over a connection of its own.</summary>
internal static class StationClient
{
    private const int WaitMs = 60_000;

    /// <summary>Sends one command; returns its reply's text, null for a null.</summary>
    /// <exception cref="LabException">The reply is an error, or of a kind that no question here has.
    /// </exception>
    /// <exception cref="IOException">No whole reply came.</exception>
    /// <exception cref="SocketException">No server listens.</exception>
    public static string? Ask(int port, params IReadOnlyList<string> words)
    {
        using var client = new TcpClient("127.0.0.1", port) { ReceiveTimeout = WaitMs };
        using NetworkStream stream = client.GetStream();
        var request = new StringBuilder($"*{words.Count}\r\n");
        foreach (string word in words) request.Append($"${Encoding.UTF8.GetByteCount(word)}\r\n{word}\r\n");
        stream.Write(Encoding.UTF8.GetBytes(request.ToString()));
        using var input = new BufferedStream(stream);
        string head = Line(input);
        return head switch
        {
            ['+' or ':', .. var text] => text,
            "$-1" => null,
            ['$', .. var size] => Bulk(input, int.Parse(size, CultureInfo.InvariantCulture)),
            _ => throw new LabException($"{string.Join(' ', words)}: {head}"),
        };
    }

    /// <summary>A field of INFO; null where there is none of that name, or no INFO.</summary>
    public static string? Info(int port, string field)
    {
        try
        {
            foreach (string line in Ask(port, "INFO")?.Split("\r\n") ?? [])
                if (line.StartsWith(field + ":", StringComparison.Ordinal)) return line[(field.Length + 1)..];
            return null;
        }
        catch (LabException)
        {
            return null; // A station without INFO.
        }
    }

    private static string Line(Stream input)
    {
        var line = new StringBuilder();
        for (int one = input.ReadByte(); one != '\n'; one = input.ReadByte())
        {
            if (one < 0) throw new EndOfStreamException("the connection ended in a reply");
            if (one != '\r') line.Append((char)one);
        }
        return line.ToString();
    }

    private static string Bulk(Stream input, int size)
    {
        byte[] bytes = new byte[size + 2];
        input.ReadExactly(bytes);
        return Encoding.UTF8.GetString(bytes, 0, size);
    }
}

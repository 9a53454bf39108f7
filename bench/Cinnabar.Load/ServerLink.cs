using System;
using System.IO;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Load.Replies;

namespace Cinnabar.Load;

/// <summary>A connection for questions outside a measurement: one request, its reply, the next. Not
/// thread-safe.</summary>
public sealed class ServerLink : IDisposable
{
    private const int TimeoutMs = 60_000;
    private readonly Socket _socket;
    private readonly NetworkStream _stream;

    /// <summary>Connects and opens the session.</summary>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public ServerLink(ServerAddress address, SessionOptions session)
    {
        _socket = Open(address, session);
        _stream = new NetworkStream(_socket);
    }

    /// <summary>Sends one command and gives its reply's text (of an array or map: its elements, one a line);
    /// null for a null reply.</summary>
    /// <exception cref="LoadException">The reply is an error, or the connection broke.</exception>
    public string? Ask(params string[] words)
    {
        try
        {
            return Ask(_stream, words);
        }
        catch (IOException failure)
        {
            throw new LoadException($"{words[0]}: {failure.Message}");
        }
    }

    /// <summary>A field of INFO; null where the server has none of that name.</summary>
    /// <exception cref="LoadException">The connection broke, or INFO is no command there.</exception>
    public string? Info(string field)
    {
        foreach (string line in Ask("INFO")?.Split("\r\n") ?? [])
            if (line.StartsWith(field + ":", StringComparison.Ordinal)) return line[(field.Length + 1)..];
        return null;
    }

    public void Dispose()
    {
        _stream.Dispose();
        _socket.Dispose();
    }

    /// <summary>A connected socket whose session is open.</summary>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    internal static Socket Open(ServerAddress address, SessionOptions session)
    {
        Socket? socket = null;
        try
        {
            socket = address.Connect();
            socket.ReceiveTimeout = socket.SendTimeout = TimeoutMs;
            using var stream = new NetworkStream(socket, ownsSocket: false);
            foreach (string[] request in session.Requests()) Ask(stream, request);
            return socket;
        }
        catch (Exception failure)
        {
            socket?.Dispose();
            if (failure is SocketException or IOException)
                throw new LoadException($"{address}: {failure.Message}");
            throw;
        }
    }

    private static string? Ask(NetworkStream stream, string[] words)
    {
        var request = new StringBuilder($"*{words.Length}\r\n");
        foreach (string word in words) request.Append($"${word.Length}\r\n{word}\r\n");
        stream.Write(Encoding.Latin1.GetBytes(request.ToString()));
        return new ReplyReader(stream).Read();
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Load.Traces;

/// <summary>Uses a server as a cache: gets the keys of a trace and sets those that are missing.</summary>
public sealed class TracePlayer : IDisposable
{
    private const int BatchCount = 100;

    private readonly Socket _socket;
    private readonly BufferedStream _stream;
    private readonly string _value;

    /// <summary>Connects.</summary>
    public TracePlayer(ServerAddress address, int valueSize)
    {
        _socket = ServerLink.Open(address, new SessionOptions());
        _stream = new BufferedStream(new NetworkStream(_socket), 1 << 16);
        _value = new string('v', valueSize);
    }

    /// <summary>Sets keys from 0 on.</summary>
    public void Fill(int count)
    {
        var keys = new List<long>();
        for (long key = 0; key < count; key++)
        {
            keys.Add(key);
            if (keys.Count < BatchCount && key + 1 < count) continue;
            Set(keys);
            keys.Clear();
        }
    }

    /// <summary>Plays a part of a trace.</summary>
    /// <returns>How many keys were there.</returns>
    public long Play(ReadOnlySpan<long> trace)
    {
        long hitCount = 0;
        var missing = new List<long>();
        for (int index = 0; index < trace.Length; index += BatchCount)
        {
            ReadOnlySpan<long> batch = trace.Slice(index, Math.Min(BatchCount, trace.Length - index));
            missing.Clear();
            Get(batch, missing);
            hitCount += batch.Length - missing.Count;
            if (missing.Count > 0) Set(missing);
        }
        return hitCount;
    }

    public void Dispose()
    {
        _stream.Dispose();
        _socket.Dispose();
    }

    private void Get(ReadOnlySpan<long> keys, List<long> missing)
    {
        var request = new StringBuilder();
        foreach (long key in keys) request.Append($"*2\r\n$3\r\nGET\r\n$14\r\n{Name(key)}\r\n");
        Send(request);
        foreach (long key in keys)
        {
            string line = ReadLine();
            if (line == "$-1") missing.Add(key);
            else if (line[0] != '$') throw new LoadException($"GET: {line}");
            else if (ReadLine().Length != _value.Length) throw new LoadException("GET: another value");
        }
    }

    private void Set(List<long> keys)
    {
        var request = new StringBuilder();
        foreach (long key in keys)
            request.Append($"*3\r\n$3\r\nSET\r\n$14\r\n{Name(key)}\r\n${_value.Length}\r\n{_value}\r\n");
        Send(request);
        foreach (long _ in keys)
            if (ReadLine() is var line and not "+OK") throw new LoadException($"SET: {line}");
    }

    private void Send(StringBuilder request)
    {
        _stream.Write(Encoding.ASCII.GetBytes(request.ToString()));
        _stream.Flush();
    }

    private string ReadLine()
    {
        var line = new StringBuilder();
        for (int next = _stream.ReadByte(); next != '\n'; next = _stream.ReadByte())
        {
            if (next < 0) throw new LoadException("the connection broke");
            if (next != '\r') line.Append((char)next);
        }
        return line.ToString();
    }

    private static string Name(long key) => key.ToString("key:0000000000", CultureInfo.InvariantCulture);
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Cinnabar.Tests.Simulation.Histories;
using System.Runtime.InteropServices;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>A client: sends requests, and matches replies to them in order.</summary>
internal sealed class SimulatedClient
{
    private const int RecentCount = 30;

    private readonly Func<Request> _next;
    private readonly Queue<Request> _sent = new();
    private readonly List<RespValue> _replies = [];
    private readonly Queue<string> _recent = new();
    private int _parsed;

    /// <summary>Makes a client that is not connected.</summary>
    /// <param name="loop">Number of the loop that it connects to.</param>
    /// <param name="next">Gives its next request.</param>
    public SimulatedClient(int loop, Func<Request> next)
    {
        Loop = loop;
        _next = next;
    }

    /// <summary>Number of the loop that it connects to.</summary>
    public int Loop { get; }

    /// <summary>What records its operations; null: its keys are its own.</summary>
    public HistoryWorkload? History { get; init; }

    /// <summary>Told when the connection is lost.</summary>
    public Action? Reconnecting { get; init; }

    /// <summary>Whether it connects no more: its history ends with what it was not told.</summary>
    public bool IsRetired { get; private set; }

    /// <summary>Its connection.</summary>
    public SimulatedConnection? Connection { get; set; }

    /// <summary>Requests without their replies.</summary>
    public int SentCount => _sent.Count;

    /// <summary>Replies read.</summary>
    public int ReplyCount { get; private set; }

    /// <summary>Sends a request.</summary>
    public void Send() => Send(_next());

    /// <summary>Sends this request.</summary>
    public void Send(Request request)
    {
        Connection!.Inbound.AddRange(request.Bytes);
        _sent.Enqueue(request);
    }

    /// <summary>Reads what has arrived.</summary>
    public void Read()
    {
        Span<byte> bytes = CollectionsMarshal.AsSpan(Connection!.Outbound);
        while (_parsed < bytes.Length && RespParser.TryParse(bytes, ref _parsed) is { } reply)
        {
            if (_sent.Count == 0)
                throw new InvalidDataException($"A reply that nobody asked for: {reply}");
            ReplyCount++;
            _replies.Add(reply);
            if (_replies.Count < _sent.Peek().ReplyCount)
                continue;
            Accept(_sent.Dequeue());
            _replies.Clear();
        }

        if (_parsed != bytes.Length)
            return;
        Connection.Outbound.Clear();
        _parsed = 0;
    }

    private void Accept(Request request)
    {
        string command = Encoding.Latin1.GetString(request.Bytes).ReplaceLineEndings(" ");
        _recent.Enqueue($"{Request.Short(command)} -> {Request.Short(string.Join(", ", _replies))}");
        if (_recent.Count > RecentCount)
            _recent.Dequeue();
        try
        {
            request.Accept(_replies);
        }
        catch (InvalidDataException wrong)
        {
            string message = $"{wrong.Message}; before that:\n{string.Join('\n', _recent)}";
            throw new InvalidDataException(message, wrong);
        }
    }

    /// <summary>Forgets what it has asked: its connection is gone.</summary>
    public void Forget()
    {
        _sent.Clear();
        _replies.Clear();
        _parsed = 0;
        Connection = null;
        IsRetired = History is not null;
        Reconnecting?.Invoke();
    }
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Cinnabar.Engine.Executions;
using Cinnabar.Tests.Simulation.Histories;
using System.Runtime.InteropServices;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>A client: sends requests, and matches replies to them in order.</summary>
internal sealed class SimulatedClient
{
    private const int RecentCount = 30;

    private readonly IWorkload _workload;
    private readonly PauseModel _pauses;
    private readonly Queue<(Request Request, PauseModel.Pause? Pause)> _sent = new();
    private readonly List<RespValue> _replies = [];
    private readonly Queue<string> _recent = new();
    private int _parsed;

    /// <summary>Makes a client that is not connected.</summary>
    /// <param name="loop">Number of the loop that it connects to.</param>
    /// <param name="workload">What it does.</param>
    /// <param name="pauses">The pause in force.</param>
    public SimulatedClient(int loop, IWorkload workload, PauseModel pauses)
    {
        Loop = loop;
        _workload = workload;
        _pauses = pauses;
    }

    /// <summary>Number of the loop that it connects to.</summary>
    public int Loop { get; }

    /// <summary>Records its operations; null: its keys are its own.</summary>
    public IRecordingWorkload? History => _workload as IRecordingWorkload;

    /// <summary>Whether it connects no more: its history ends with an unanswered operation.</summary>
    public bool IsRetired { get; private set; }

    /// <summary>Its connection.</summary>
    public SimulatedConnection? Connection { get; set; }

    /// <summary>Requests without their replies.</summary>
    public int SentCount => _sent.Count;

    /// <summary>Whether it may be waiting for a key.</summary>
    public bool MayWait => _sent.Count > 0 && _sent.Peek().Request.MayWait;

    /// <summary>Replies read.</summary>
    public int ReplyCount { get; private set; }

    /// <summary>A digest of all replies, for comparisons.</summary>
    public ulong ReplyDigest { get; private set; } = 14695981039346656037;

    /// <summary>How far it is, for messages.</summary>
    public override string ToString() => Connection is null ? "not connected"
        : $"{SentCount} of {Connection.Session.Endpoint.RemoteAddress} on loop {Loop} "
            + $"(reading {Connection.IsReading}, inbound {Connection.InboundCount}, "
            + $"broken {Connection.IsBroken}, "
            + $"suspended {Connection.Session.Suspended?.State.ToString() ?? "no"}, "
            + $"unsent {Connection.Session.Unsent?.ByteCount ?? 0}, "
            + $"partial {Connection.Session.Partial?.Length ?? 0}, "
            + $"stopped {Connection.Session.IsReadingStopped})";

    /// <summary>Sends its next request.</summary>
    public void Send() => Send(_workload.Next());

    /// <summary>Sends a request.</summary>
    public void Send(Request request)
    {
        Connection!.Inbound.AddRange(request.Bytes);
        _sent.Enqueue((request, _pauses.Current is { } pause && pause.Holds(request) ? pause : null));
    }

    /// <summary>Reads what has arrived.</summary>
    public void Read()
    {
        Span<byte> bytes = CollectionsMarshal.AsSpan(Connection!.Outbound);
        while (_parsed < bytes.Length && RespParser.TryParse(bytes, ref _parsed) is { } reply)
        {
            Digest(reply);
            if (_workload.TryPush(reply))
                continue;
            if (_sent.Count == 0)
                throw new InvalidDataException($"A reply without a request: {reply}");
            ReplyCount++;
            _replies.Add(reply);
            if (_replies.Count < _sent.Peek().Request.ReplyCount)
                continue;
            (Request request, PauseModel.Pause? pause) = _sent.Dequeue();
            Accept(request);
            Check(request, pause);
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

    private void Check(Request request, PauseModel.Pause? pause)
    {
        if (pause is null)
            return;
        _pauses.HeldCount++;
        if (pause == _pauses.Current)
        {
            string command = Encoding.Latin1.GetString(request.Bytes).ReplaceLineEndings(" ");
            throw new InvalidDataException($"{Request.Short(command)} was answered in a pause.");
        }
    }

    // FNV-1a.
    private void Digest(RespValue reply)
    {
        foreach (char one in reply.ToString())
            ReplyDigest = (ReplyDigest ^ one) * 1099511628211;
    }

    /// <summary>Forgets its requests: its connection is gone.</summary>
    public void Forget()
    {
        _sent.Clear();
        _replies.Clear();
        _parsed = 0;
        Connection = null;
        IsRetired = History is not null;
        _workload.Disconnect();
    }
}

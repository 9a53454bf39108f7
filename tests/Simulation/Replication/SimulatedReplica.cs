// A replica without a server: it speaks the protocol of one and keeps what it gets, the data of a full
// synchronisation and the bytes of the stream. What it keeps is checked at once where that is possible: the
// answers, the places of the marks, the bytes of the stream against the master's own.
//
//   Asking ─► Answer ─┬─► Length ─► Payload ─┬─► Marked ─► Stream      a mark ends the data: the stream comes
//                     └───────────────────────┴──────────────▲         when it has acknowledged
//
// Some want the data alone, or of them the functions alone, and disconnect when they have them.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>A replica of a simulated server.</summary>
/// <param name="number">Tells it from others.</param>
/// <param name="seed">What it does comes from this.</param>
/// <param name="tape">The master's stream.</param>
/// <param name="fault">What it does wrong.</param>
internal sealed class SimulatedReplica(int number, ulong seed, StreamTape tape, ReplicaFault fault)
{
    private const int MarkLength = 40;

    private readonly Dice _dice = new(seed);
    private readonly Queue<string[]> _requests = [];
    private readonly List<byte> _payload = [];
    private ReplicaData? _coming;
    private Phase _phase;
    private byte[] _mark = [];
    private int _length;
    private int _awaitedCount;
    private int _answeredCount;
    private bool _knowsEndMarks;
    private bool _isDataOnly;
    private bool _wantsFunctions;
    private bool _isUnanswered;
    private bool _hasErred;

    private enum Phase
    {
        Asking,
        Answer,
        Length,
        Payload,
        Marked,
        Stream,
    }

    /// <summary>Its connection; null: it has none.</summary>
    public SimulatedConnection? Connection { get; private set; }

    /// <summary>What it has; null: nothing yet.</summary>
    public ReplicaData? Data { get; private set; }

    /// <summary>Whether it follows the stream.</summary>
    public bool IsOnline => Connection is not null && _phase == Phase.Stream;

    /// <summary>Whether it reads nothing for now.</summary>
    public bool IsStalled { get; set; }

    /// <summary>Whether it disconnects: its master has refused it, or it wanted the data alone and has
    /// them.</summary>
    public bool IsDone { get; private set; }

    /// <summary>Whether the form of its data is the newest.</summary>
    public bool TellsVersion { get; private set; }

    /// <summary>Called with the data of a full synchronisation.</summary>
    public required Action<SimulatedReplica, ReplicaData> Loaded { get; init; }

    /// <summary>Called with data that others take the place of.</summary>
    public required Action<ReplicaData> Replaced { get; init; }

    /// <summary>Full synchronisations out of memory.</summary>
    public int StreamedCount { get; private set; }

    /// <summary>Full synchronisations out of a file.</summary>
    public int StoredCount { get; private set; }

    /// <summary>How often it went on where it was.</summary>
    public int ContinuedCount { get; private set; }

    /// <summary>What it does, for messages.</summary>
    public override string ToString() => $"replica {number}: {(Connection is null ? "gone" : $"{_phase}")}, "
        + $"at {Data?.Offset}, whole {Data?.WholeOffset}, payload {_payload.Count} of {_length}, "
        + $"unread {Connection?.Outbound.Count}, closed {Connection?.IsClosed}";

    /// <summary>Begins anew on a connection.</summary>
    public void Connect(SimulatedConnection connection)
    {
        Connection = connection;
        (_knowsEndMarks, _isDataOnly, TellsVersion) = (!_dice.OneIn(4), _dice.OneIn(8), _dice.OneIn(2));
        _wantsFunctions = _isDataOnly && _knowsEndMarks && _dice.OneIn(2);
        _requests.Enqueue(["PING"]);
        _requests.Enqueue(["REPLCONF", "listening-port", $"{7000 + number}"]);
        _requests.Enqueue(_knowsEndMarks ? ["REPLCONF", "capa", "eof", "capa", "psync2"]
            : ["REPLCONF", "capa", "psync2"]);
        if (TellsVersion)
            _requests.Enqueue(["REPLCONF", "version", "8.2.0"]);
        if (_isDataOnly)
            _requests.Enqueue(["REPLCONF", "rdb-only", "1"]);
        if (_wantsFunctions)
            _requests.Enqueue(["REPLCONF", "rdb-filter-only", "functions"]);
        string[] last = PlaceToGoOn();
        _requests.Enqueue(last);
        _isUnanswered = last[0] == "SYNC";
    }

    /// <summary>Sends what it has to say.</summary>
    public void Speak()
    {
        if (Connection is null || Connection.IsClosed)
            return;
        if (_requests.Count > 0 && (_awaitedCount == 0 || _dice.OneIn(2)))
        {
            _awaitedCount++;
            Send(_requests.Dequeue());
            NoteAnswers();
        }
        else if (_phase is Phase.Marked or Phase.Stream)
        {
            Acknowledge();
        }
    }

    /// <summary>Reads what has come.</summary>
    public void Read()
    {
        Span<byte> bytes = CollectionsMarshal.AsSpan(Connection!.Outbound);
        int position = 0;
        while (position < bytes.Length && !IsDone && TryTake(bytes[position..], out int count))
            position += count;
        Connection.Outbound.RemoveRange(0, position);
    }

    /// <summary>Its connection is gone, with what was on its way.</summary>
    public void Disconnect()
    {
        Connection = null;
        _phase = Phase.Asking;
        (_awaitedCount, IsDone, IsStalled) = (0, false, false);
        _requests.Clear();
        _payload.Clear();
        _coming = null;
    }

    // Half a unit is either forgotten or kept.
    private string[] PlaceToGoOn()
    {
        if (_isDataOnly && _dice.OneIn(2))
            return ["SYNC"];
        if (Data is not { } data || _isDataOnly || _dice.OneIn(10))
            return ["PSYNC", "?", "-1"];
        data.Cut(_dice.OneIn(4) ? data.Offset : data.WholeOffset);
        long first = data.Offset + 1 + (fault == ReplicaFault.AsksTooFar ? _dice.Below(50) : 0);
        return ["PSYNC", data.Id, first.ToString(CultureInfo.InvariantCulture)];
    }

    private void Acknowledge()
    {
        string offset = Data!.WholeOffset.ToString(CultureInfo.InvariantCulture);
        Send(_dice.OneIn(3) ? ["REPLCONF", "ACK", offset, "FACK", offset] : ["REPLCONF", "ACK", offset]);
        if (_phase == Phase.Marked)
            _phase = Phase.Stream;
        _answeredCount = Data.AskedCount;
    }

    private void Send(string[] words) => Connection!.Inbound.AddRange(RespClient.Encode(words));

    private bool TryTake(ReadOnlySpan<byte> bytes, out int count)
    {
        count = bytes.Length;
        switch (_phase)
        {
            case Phase.Answer or Phase.Length when bytes[0] == '\n':
                count = 1;
                return true;
            case Phase.Asking or Phase.Answer or Phase.Length:
                return TryTakeLine(bytes, out count);
            case Phase.Payload:
                count = TakePayload(bytes);
                return true;
            case Phase.Marked:
                throw new InvalidDataException($"bytes follow the mark before {this} has acknowledged");
            default:
                TakeStream(bytes);
                return true;
        }
    }

    private bool TryTakeLine(ReadOnlySpan<byte> bytes, out int count)
    {
        int end = bytes.IndexOf("\r\n"u8);
        count = end + 2;
        if (end < 0)
            return false;
        string line = Encoding.Latin1.GetString(bytes[..end]);
        if (line[0] == '-')
            IsDone = true;
        else if (_phase == Phase.Length)
            TakeLength(line);
        else if (_phase == Phase.Answer)
            TakeAnswer(line);
        else if (line is not ("+PONG" or "+OK") || _awaitedCount-- == 0)
            throw new InvalidDataException($"{this} was answered {line}");
        NoteAnswers();
        return true;
    }

    // What comes next is the answer to PSYNC; SYNC has none, and does not tell where the data are.
    private void NoteAnswers()
    {
        if (_phase != Phase.Asking || _requests.Count > 0 || _awaitedCount != 1)
            return;
        _phase = _isUnanswered ? Phase.Length : Phase.Answer;
        if (_isUnanswered)
            _coming = new ReplicaData(0) { Id = "", Stream = tape.StreamCount };
    }

    private void TakeAnswer(string line)
    {
        string[] words = line.Split(' ');
        _awaitedCount = 0;
        if (words is ["+FULLRESYNC", { Length: MarkLength } id, { } offset])
        {
            _coming = new ReplicaData(long.Parse(offset, CultureInfo.InvariantCulture))
            {
                Id = id,
                Stream = tape.StreamCount,
            };
            _phase = Phase.Length;
        }
        else if (words is ["+CONTINUE", { Length: MarkLength } name] && Data is not null)
        {
            Data.Id = name;
            ContinuedCount++;
            _phase = Phase.Stream;
        }
        else
        {
            throw new InvalidDataException($"{this} was answered {line}");
        }
    }

    private void TakeLength(string line)
    {
        bool isMarked = line.StartsWith("$EOF:", StringComparison.Ordinal);
        if (isMarked && (!_knowsEndMarks || line.Length != "$EOF:".Length + MarkLength))
            throw new InvalidDataException($"{this} was told {line}");
        _mark = isMarked ? Encoding.Latin1.GetBytes(line["$EOF:".Length..]) : [];
        _length = isMarked ? -1 : int.Parse(line.AsSpan(1), CultureInfo.InvariantCulture);
        _payload.Clear();
        _phase = Phase.Payload;
    }

    private int TakePayload(ReadOnlySpan<byte> bytes)
    {
        int before = _payload.Count;
        int count = _length < 0 ? bytes.Length : Math.Min(bytes.Length, _length - before);
        _payload.AddRange(bytes[..count]);
        int searched = Math.Max(0, before - MarkLength);
        int mark = _length < 0
            ? CollectionsMarshal.AsSpan(_payload)[searched..].IndexOf(_mark) : -1;
        int length = mark < 0 ? _length : searched + mark;
        if (length < 0 || _payload.Count < length)
            return count;
        if (mark >= 0 && _payload.Count != length + MarkLength)
            throw new InvalidDataException($"bytes follow the mark of {this}");
        _payload.RemoveRange(length, _payload.Count - length);
        Load(isStored: mark < 0);
        return count;
    }

    private void Load(bool isStored)
    {
        ReplicaData data = _coming!;
        data.Payload = [.. _payload];
        _payload.Clear();
        _coming = null;
        StoredCount += isStored ? 1 : 0;
        StreamedCount += isStored ? 0 : 1;
        if (!_wantsFunctions && !_isUnanswered)
            Loaded(this, data);
        IsDone = _isDataOnly;
        _phase = isStored ? Phase.Stream : Phase.Marked;
        if (_isDataOnly)
            return;
        if (Data is { } earlier)
            Replaced(earlier);
        Data = data;
    }

    private void TakeStream(ReadOnlySpan<byte> bytes)
    {
        if (fault == ReplicaFault.LosesByte && !_hasErred && bytes.Length > 1 && _dice.OneIn(8))
        {
            _hasErred = true;
            bytes = bytes[1..];
        }

        tape.Compare(Data!.Offset, bytes);
        Data.Append(bytes);
        if (Data.AskedCount != _answeredCount && _dice.OneIn(2))
            Acknowledge();
    }
}

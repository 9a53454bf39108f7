// The handshake of a replica with its master: one request, one line of an answer, until PSYNC is answered. It
// knows no socket: the caller sends what Next gives and hands the lines to Take.
//
//   Ping ─► Auth ─► Port ─► Address ─► Capabilities ─► Version ─► Psync ─► Over
//             (skipped without       (skipped without           │
//              masterauth)            replica-announce-ip)      ├ +FULLRESYNC id offset   Full
//                                                               ├ +CONTINUE [id]          Continued
//                                                               ├ -LOADING, -NOMASTERLINK Later
//                                                               └ other errors            Refused
//
// A master that does not know a REPLCONF option says so, and the handshake goes on. Sources: the
// documentation of replication at redis.io, and sessions of redis-server 7.0.15.

using Cinnabar.Engine.Logging;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The handshake of one connection to a master.</summary>
/// <param name="options">What the replica tells.</param>
/// <param name="log">The log.</param>
internal sealed class MasterHandshake(HandshakeOptions options, ILog log)
{
    private readonly HandshakeOptions _options = options;
    private readonly ILog _log = log;

    /// <summary>Where it is.</summary>
    public HandshakeStep Step { get; private set; }

    /// <summary>After a result: the history that the master has; null: it goes on with the one that was
    /// asked for.</summary>
    public string? HistoryId { get; private set; }

    /// <summary>After <see cref="HandshakeResult.Full"/>: the offset at which the data were taken.</summary>
    public long Offset { get; private set; }

    /// <summary>Begins the next step.</summary>
    /// <returns>The words of its request.</returns>
    public string[] Next()
    {
        Debug.Assert(Step < HandshakeStep.Psync, "PSYNC is the last request");
        Step++;
        if (Step == HandshakeStep.Auth && _options.Password.Length == 0)
            Step++;
        if (Step == HandshakeStep.Address && _options.Address.Length == 0)
            Step++;
        return Step switch
        {
            HandshakeStep.Ping => ["PING"],
            HandshakeStep.Auth when _options.User.Length > 0 => ["AUTH", _options.User, _options.Password],
            HandshakeStep.Auth => ["AUTH", _options.Password],
            HandshakeStep.Port => ["REPLCONF", "listening-port", Text(_options.Port)],
            HandshakeStep.Address => ["REPLCONF", "ip-address", _options.Address],
            HandshakeStep.Capabilities => ["REPLCONF", "capa", "eof", "capa", "psync2"],
            HandshakeStep.Version => ["REPLCONF", "version", _options.Version],
            _ => Psync(),
        };
    }

    /// <summary>Takes the line that answers the last request.</summary>
    public HandshakeResult Take(string line)
    {
        Debug.Assert(Step is > HandshakeStep.Begin and < HandshakeStep.Over, "nothing was asked");
        bool isError = line.StartsWith('-');
        switch (Step)
        {
            case HandshakeStep.Ping:
                return TakePong(line);
            case HandshakeStep.Auth when isError:
                _log.Write(LogLevel.Warning, $"Unable to AUTH to MASTER: {line}");
                return HandshakeResult.Refused;
            case HandshakeStep.Port when isError:
                return Ignore("listening-port", line);
            case HandshakeStep.Address when isError:
                return Ignore("ip-address", line);
            case HandshakeStep.Capabilities when isError:
                return Ignore("capa", line);
            case HandshakeStep.Version when isError:
                return Ignore("version", line);
            case HandshakeStep.Psync:
                // A line without a word says that the master is still there.
                return line.Length == 0 ? HandshakeResult.UnderWay : TakeAnswer(line);
            default:
                return HandshakeResult.UnderWay;
        }
    }

    private HandshakeResult TakePong(string line)
    {
        // A master that wants a password first is one, too.
        bool isThere = line.StartsWith('+') || line.StartsWith("-NOAUTH", StringComparison.Ordinal)
            || line.StartsWith("-NOPERM", StringComparison.Ordinal)
            || line.StartsWith("-ERR operation not permitted", StringComparison.Ordinal);
        if (!isThere)
        {
            _log.Write(LogLevel.Warning, $"Error reply to PING from master: '{line}'");
            return HandshakeResult.Refused;
        }

        _log.Write(LogLevel.Notice, "Master replied to PING, replication can continue...");
        return HandshakeResult.UnderWay;
    }

    private HandshakeResult Ignore(string option, string line)
    {
        _log.Write(
            LogLevel.Notice, $"(Non critical) Master does not understand REPLCONF {option}: {line}");
        return HandshakeResult.UnderWay;
    }

    private string[] Psync()
    {
        if (_options.HistoryId is not { } id)
        {
            _log.Write(LogLevel.Notice, "Partial resynchronization not possible (no cached master)");
            return ["PSYNC", "?", "-1"];
        }

        string next = Text(_options.Offset + 1);
        _log.Write(LogLevel.Notice, $"Trying a partial resynchronization (request {id}:{next}).");
        return _options.IsFailover ? ["PSYNC", id, next, "FAILOVER"] : ["PSYNC", id, next];
    }

    private HandshakeResult TakeAnswer(string line)
    {
        Step = HandshakeStep.Over;
        string[] words = line.Split(' ');
        if (words[0] == "+FULLRESYNC")
            return TakeFull(words, line);
        if (words[0] == "+CONTINUE")
        {
            HistoryId = words.Length > 1 && words[1].Length == ReplicationHistory.IdLength ? words[1] : null;
            _log.Write(LogLevel.Notice, "Successful partial resynchronization with master.");
            return HandshakeResult.Continued;
        }

        if (words[0] is "-NOMASTERLINK" or "-LOADING")
        {
            _log.Write(LogLevel.Notice,
                $"Master is currently unable to PSYNC but should be in the future: {line}");
            return HandshakeResult.Later;
        }

        _log.Write(LogLevel.Warning, line.StartsWith("-ERR", StringComparison.Ordinal)
            ? $"Master does not support PSYNC or is in error state (reply: {line})"
            : $"Unexpected reply to PSYNC from master: {line}");
        return HandshakeResult.Refused;
    }

    private HandshakeResult TakeFull(string[] words, string line)
    {
        if (words.Length < 3 || words[1].Length != ReplicationHistory.IdLength
            || !long.TryParse(words[2], NumberStyles.None, CultureInfo.InvariantCulture, out long offset))
        {
            _log.Write(LogLevel.Warning, $"Master replied with wrong +FULLRESYNC syntax: {line}");
            return HandshakeResult.Refused;
        }

        (HistoryId, Offset) = (words[1], offset);
        _log.Write(LogLevel.Notice, $"Full resync from master: {words[1]}:{words[2]}");
        return HandshakeResult.Full;
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}

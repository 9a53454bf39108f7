using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>
/// Random commands of one client on keys of its own: a dictionary predicts every reply. A client that
/// vanished continues with new keys, since the effect of its last commands is unknown.
/// </summary>
internal sealed class PrivateWorkload : IWorkload
{
    private const int KeyCount = 5;
    private const int TrashDatabase = 15;
    private const int BigLengthMax = 200_000;

    private readonly string _client;
    private readonly ConnectionWorkload _connection;
    private readonly Dictionary<(int Database, string Key), string> _model = [];
    private RandomSource _random;
    private int _database;
    private int _life;
    private int _token;

    /// <summary>Makes a workload.</summary>
    public PrivateWorkload(string client, ulong seed)
    {
        _client = client;
        _random = new RandomSource(seed);
        _connection = new ConnectionWorkload(_random.Next());
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <summary>The connection is gone: starts over with other keys.</summary>
    public void Disconnect()
    {
        _model.Clear();
        _connection.Reset(isSame: false);
        _database = 0;
        _life++;
    }

    /// <inheritdoc/>
    public Request Next() => _random.NextBelow(30) switch
    {
        0 => Select((int)_random.NextBelow(TrashDatabase)),
        1 => Trash(),
        2 => Echo(),
        3 => Request.Of(["KEYS", $"{_client}.{_life}:*"], IsModelOf(_database)),
        4 => Wrong(),
        5 => Transaction(),
        6 => Many(),
        7 => GetMany(),
        8 => Set(NewKey(), Text(BigLengthMax)),
        9 => Expiring(),
        10 => Delete(),
        11 => Rename(),
        12 or 13 => Copy(),
        14 => Silent(),
        15 or 16 or 17 => _connection.Next(),
        18 when _random.NextBelow(4) == 0 => Reset(),
        18 when _random.NextBelow(8) == 0 => Request.Of(["QUIT"], IsOk),
        _ => Simple(),
    };

    private Request Simple()
    {
        string key = NewKey();
        switch (_random.NextBelow(5))
        {
            case 0:
                return Set(key, Text(50));
            case 1:
                string added = Text(300);
                string whole = Value(key) + added;
                _model[(_database, key)] = whole;
                return Request.Of(["APPEND", key, added], reply => IsInteger(reply, whole.Length))
                    with { IsWrite = true };
            case 2:
                int length = Value(key)?.Length ?? 0;
                return Request.Of(["STRLEN", key], reply => IsInteger(reply, length));
            case 3:
                string? old = Value(key);
                _model.Remove((_database, key));
                return Request.Of(["GETDEL", key], IsValue(old)) with { IsWrite = true };
            default:
                return Request.Of(["GET", key], IsValue(Value(key)));
        }
    }

    private Request Set(string key, string value)
    {
        _model[(_database, key)] = value;
        return Request.Of(["SET", key, value], IsOk) with { IsWrite = true };
    }

    private Request Select(int database)
    {
        _database = database;
        return Request.Of(["SELECT", database.ToString(CultureInfo.InvariantCulture)], IsOk);
    }

    /// <summary>Keys that are never read, all removed at once: in the slow lane, with every stripe.</summary>
    private Request Trash()
    {
        int database = _database;
        Request[] all =
        [
            Select(TrashDatabase),
            Request.Of(["SET", $"trash{_random.NextBelow(50)}", Text(5000)], IsOk),
            _random.NextBelow(2) == 0
                ? Request.Of(["FLUSHDB"], IsOk)
                : Join(
                    [["MULTI"], ["FLUSHDB", "SYNC"], ["EXEC"]],
                    static replies => replies[2].Items[0].Text == "OK"),
            Select(database),
        ];
        return Sequence(all);
    }

    private Request Echo()
    {
        string token = $"{_client}-{_token++}";
        return Request.Of(["ECHO", token], reply => reply is { Kind: '$' } && reply.Text == token);
    }

    private Request Wrong() => _random.NextBelow(3) switch
    {
        0 => Request.Of(["NOSUCH", NewKey(), Text(200)], static reply => reply.Kind == '-')
            with { IsRefused = true },
        1 => Request.Of(["GET"], static reply => reply.Kind == '-') with { IsRefused = true },
        _ => Request.Of(["EXEC"], static reply => reply.Kind == '-'),
    };

    private Request Transaction()
    {
        Request[] queued = [.. Enumerable.Range(0, 1 + (int)_random.NextBelow(5)).Select(_ => Simple())];
        byte[] bytes =
        [
            .. RespClient.Encode(["MULTI"]),
            .. queued.SelectMany(static one => one.Bytes),
            .. RespClient.Encode(["EXEC"]),
        ];
        return new Request(bytes, queued.Length + 2, replies =>
        {
            if (replies[^1].Items.Count != queued.Length)
                throw new InvalidDataException($"EXEC was answered with {replies[^1]}");
            for (int index = 0; index < queued.Length; index++)
                queued[index].Accept([replies[^1].Items[index]]);
        })
        {
            IsWrite = queued.Any(static one => one.IsWrite),
        };
    }

    private Request Many()
    {
        string[] keys = [NewKey(), NewKey(), NewKey()];
        var command = new List<string> { "MSET" };
        foreach (string key in keys)
        {
            string value = _model[(_database, key)] = Text(40);
            command.AddRange([key, value]);
        }

        return Request.Of([.. command], IsOk) with { IsWrite = true };
    }

    private Request GetMany()
    {
        string[] keys = [NewKey(), NewKey(), NewKey()];
        Func<RespValue, bool>[] expected = [.. keys.Select(key => IsValue(Value(key)))];
        return Request.Of(["MGET", .. keys], reply =>
            reply.Items.Count == keys.Length
            && reply.Items.Zip(expected).All(static pair => pair.Second(pair.First)));
    }

    private Request Delete()
    {
        string[] keys = [NewKey(), NewKey()];
        int count = keys.Count(key => _model.Remove((_database, key)));
        return Request.Of(["DEL", .. keys], reply => IsInteger(reply, count)) with { IsWrite = true };
    }

    private Request Rename()
    {
        string from = NewKey();
        string to = NewKey();
        if (Value(from) is not { } value)
            return Request.Of(["RENAME", from, to], static reply => reply.Kind == '-');
        _model.Remove((_database, from));
        _model[(_database, to)] = value;
        return Request.Of(["RENAME", from, to], IsOk) with { IsWrite = true };
    }

    private Request Copy()
    {
        string from = NewKey();
        string to = NewKey();
        int database = _random.NextBelow(2) == 0 ? _database : (int)_random.NextBelow(TrashDatabase);
        bool mayReplace = _random.NextBelow(2) == 0;
        string number = database.ToString(CultureInfo.InvariantCulture);
        string[] replace = mayReplace ? ["REPLACE"] : [];
        string[] command = ["COPY", from, to, "DB", number, .. replace];
        if (from == to && database == _database)
        {
            return Request.Of(command, static reply =>
                reply.Text == "ERR source and destination objects are the same") with { IsWrite = true };
        }

        bool isCopied = Value(from) is not null && (mayReplace || !_model.ContainsKey((database, to)));
        if (isCopied)
            _model[(database, to)] = Value(from)!;
        return Request.Of(command, reply => IsInteger(reply, isCopied ? 1 : 0)) with { IsWrite = true };
    }

    /// <summary>A command that is executed, and not answered.</summary>
    private Request Silent()
    {
        Request unanswered = Simple();
        string key = NewKey();
        byte[] bytes =
        [
            .. RespClient.Encode(["CLIENT", "REPLY", "SKIP"]),
            .. unanswered.Bytes,
            .. RespClient.Encode(["GET", key]),
        ];
        return Request.Of(bytes, IsValue(Value(key))) with { IsWrite = unanswered.IsWrite };
    }

    private Request Reset()
    {
        _database = 0;
        _connection.Reset(isSame: true);
        return Request.Of(["RESET"], static reply => reply is { Kind: '+', Text: "RESET" });
    }

    /// <summary>A key with a deadline: there, then gone for good, whatever the wall clock does.</summary>
    private Request Expiring()
    {
        string key = $"e:{_client}.{_life}.{_token++}";
        string ttl = (1 + _random.NextBelow(20)).ToString(CultureInfo.InvariantCulture);
        return Join([["SET", key, "v", "PX", ttl], ["GET", key], ["GET", key]], static replies =>
            replies[0].Text == "OK" && (replies[1].Text == "v" || replies[2].Kind == '_'));
    }

    private string NewKey() => $"{_client}.{_life}:{_random.NextBelow(KeyCount)}";

    private string? Value(string key) => _model.GetValueOrDefault((_database, key));

    private string Text(int lengthMax) =>
        new((char)('a' + _random.NextBelow(26)), (int)_random.NextBelow((ulong)lengthMax));

    private Func<RespValue, bool> IsModelOf(int database)
    {
        string[] keys =
            [.. _model.Keys.Where(key => key.Database == database).Select(static key => key.Key).Order()];
        return reply => reply.Items.Select(static item => item.Text).Order().SequenceEqual(keys);
    }

    private static Func<RespValue, bool> IsValue(string? value) =>
        reply => value is null ? reply.Kind == '_' : reply.Kind == '$' && reply.Text == value;

    private static bool IsInteger(RespValue reply, long number) =>
        reply.Kind == ':' && reply.Text == number.ToString(CultureInfo.InvariantCulture);

    private static bool IsOk(RespValue reply) => reply is { Kind: '+', Text: "OK" };

    private static Request Join(string[][] commands, Func<IReadOnlyList<RespValue>, bool> areRight) => new(
        [.. commands.SelectMany(static command => RespClient.Encode(command))], commands.Length, replies =>
        {
            if (!areRight(replies))
                throw new InvalidDataException($"{commands[0][0]} ... got {string.Join(", ", replies)}");
        });

    private static Request Sequence(Request[] requests) => new(
        [.. requests.SelectMany(static one => one.Bytes)],
        requests.Sum(static one => one.ReplyCount),
        replies =>
        {
            int first = 0;
            foreach (Request request in requests)
            {
                request.Accept([.. replies.Skip(first).Take(request.ReplyCount)]);
                first += request.ReplyCount;
            }
        })
    {
        IsWrite = requests.Any(static one => one.IsWrite),
    };
}

using System;
using System.Globalization;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>A client's commands about its own connection: HELLO, and CLIENT's subcommands.</summary>
internal sealed class ConnectionWorkload
{
    private RandomSource _random;
    private int _protocol = 2;
    private string _name = "";
    private string? _id;
    private int _token;

    /// <summary>Makes a workload.</summary>
    public ConnectionWorkload(ulong seed) => _random = new RandomSource(seed);

    /// <summary>The connection is a new one, or has been reset.</summary>
    /// <param name="isSame">Whether it is the same connection.</param>
    public void Reset(bool isSame)
    {
        _protocol = 2;
        _name = "";
        if (!isSame)
            _id = null;
    }

    /// <summary>The next request.</summary>
    public Request Next() => _random.NextBelow(9) switch
    {
        0 => Hello(),
        1 => SetName(),
        2 => GetName(),
        3 => Request.Of(["CLIENT", "NO-EVICT", _random.NextBelow(2) == 0 ? "ON" : "OFF"], IsOk),
        4 => Id(),
        5 => Info(),
        6 => Skip(),
        7 => Silence(),
        _ => Request.Of(["CLIENT", "REPLY", "ON"], IsOk),
    };

    private Request Hello()
    {
        _protocol = 2 + (int)_random.NextBelow(2);
        string protocol = _protocol.ToString(CultureInfo.InvariantCulture);
        string[] name = _random.NextBelow(2) == 0 ? ["SETNAME", _name = NewToken()] : [];
        char kind = _protocol == 3 ? '%' : '*';
        return Request.Of(["HELLO", protocol, .. name], reply =>
            reply.Kind == kind && reply["proto"] is { Kind: ':' } shown && shown.Text == protocol
            && reply["id"] is { } id && IsSameId(id.Text));
    }

    private Request SetName()
    {
        _name = _random.NextBelow(4) == 0 ? "" : NewToken();
        return Request.Of(["CLIENT", "SETNAME", _name], IsOk);
    }

    private Request GetName()
    {
        string name = _name;
        return Request.Of(["CLIENT", "GETNAME"], reply =>
            name.Length == 0 ? reply.Kind == '_' : reply.Kind == '$' && reply.Text == name);
    }

    private Request Id() =>
        Request.Of(["CLIENT", "ID"], reply => reply.Kind == ':' && IsSameId(reply.Text));

    private Request Info()
    {
        string name = _name;
        int protocol = _protocol;
        return Request.Of(["CLIENT", "INFO"], reply =>
            reply.Kind == (protocol == 3 ? '=' : '$')
            && reply.Text.Contains($" name={name} ", StringComparison.Ordinal)
            && reply.Text.Contains($" resp={protocol} ", StringComparison.Ordinal));
    }

    /// <summary>Of two commands only the second is answered.</summary>
    private Request Skip()
    {
        string token = NewToken();
        byte[] bytes =
        [
            .. RespClient.Encode(["CLIENT", "REPLY", "SKIP"]),
            .. RespClient.Encode(["ECHO", NewToken()]),
            .. RespClient.Encode(["ECHO", token]),
        ];
        return Request.Of(bytes, reply => reply.Kind == '$' && reply.Text == token);
    }

    /// <summary>Nothing is answered between OFF and ON.</summary>
    private Request Silence()
    {
        byte[] bytes =
        [
            .. RespClient.Encode(["CLIENT", "REPLY", "OFF"]),
            .. RespClient.Encode(["ECHO", NewToken()]),
            .. RespClient.Encode(["CLIENT", "REPLY", "SKIP"]),
            .. RespClient.Encode(["NOSUCH"]),
            .. RespClient.Encode(["CLIENT", "REPLY", "ON"]),
        ];
        return Request.Of(bytes, IsOk);
    }

    private bool IsSameId(string id) => (_id ??= id) == id;

    private string NewToken() => $"n{_token++}";

    private static bool IsOk(RespValue reply) => reply is { Kind: '+', Text: "OK" };
}

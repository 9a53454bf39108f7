using System.Diagnostics;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A key that expires soon. It must be there until its deadline and must not be there after it, as
/// far as the client's clock can tell: the server set the deadline between request and reply.</summary>
internal sealed class LapsingKey(string name)
{
    private const int LifetimeMsMax = 3000;
    private const int SlackMs = 1000; // The server's clock may be set while the test runs.
    private string? _value;
    private long _deadlineMsMin;
    private long _deadlineMsMax;

    /// <summary>Forgets it: the server has lost all keys.</summary>
    public void Clear() => _value = null;

    /// <summary>Sets it, or reads it.</summary>
    public void Step(RespClient client, SoakDice dice)
    {
        if (_value is null || dice.OneOf(10)) Set(client, dice);
        else Read(client);
    }

    private static long NowMs => Stopwatch.GetTimestamp() * 1000 / Stopwatch.Frequency;

    private void Set(RespClient client, SoakDice dice)
    {
        int lifetimeMs = 1 + dice.Below(LifetimeMsMax);
        _value = dice.Value();
        _deadlineMsMin = NowMs + lifetimeMs - SlackMs;
        Assert.Equal("+OK", client.Call("SET", name, _value, "PX", SoakDice.Number(lifetimeMs)).ToString());
        _deadlineMsMax = NowMs + lifetimeMs + SlackMs;
    }

    private void Read(RespClient client)
    {
        long askedMs = NowMs;
        string found = client.Call("GET", name).ToString();
        bool isThere = found != "_";
        Assert.True(!isThere || (found == "$" + _value && askedMs <= _deadlineMsMax),
            $"{name} is there {askedMs - _deadlineMsMax} ms after its deadline, or is another");
        Assert.True(isThere || NowMs >= _deadlineMsMin,
            $"{name} is not there {_deadlineMsMin - NowMs} ms before its deadline");
        if (!isThere)
            _value = null;
    }
}

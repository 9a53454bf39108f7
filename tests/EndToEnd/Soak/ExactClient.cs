using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.EndToEnd.Soak.Keys;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>A client that writes keys of its own and knows what every reply must be: commands alone, in
/// pipelines, transactions and scripts, over connections that live for some of these.</summary>
/// <param name="port">The server's port.</param>
/// <param name="number">Which client it is.</param>
/// <param name="seed">The seed of its choices.</param>
internal sealed class ExactClient(int port, int number, int seed)
{
    private const int KeysOfType = 4;
    private const int VisitMax = 60;
    private const int PipelineMax = 40;
    private const int PipelineBytesMax = 200_000;
    private const int ScriptWordsMax = 200;
    private const string CallScript = "return redis.call(unpack(ARGV))";

    private readonly SoakDice _dice = new(seed);
    private readonly SoakKey[] _keys = [.. Enumerable.Range(0, KeysOfType)
        .SelectMany(index => KeysOf($"{number}:{index}"))];
    private readonly LapsingKey[] _lapsing = [.. Enumerable.Range(0, KeysOfType)
        .Select(index => new LapsingKey($"lapsing:{number}:{index}"))];

    /// <summary>Forgets what its keys hold: the server has lost them.</summary>
    public void Clear()
    {
        foreach (SoakKey key in _keys)
            key.Clear();
        foreach (LapsingKey key in _lapsing)
            key.Clear();
    }

    /// <summary>Reads all its keys.</summary>
    public void CheckAll(RespClient client)
    {
        foreach (SoakKey key in _keys)
            Call(client, key.Whole());
    }

    /// <summary>Opens a connection, does some things, closes it.</summary>
    /// <returns>How many commands it has sent.</returns>
    public int Visit()
    {
        using var client = new RespClient(port);
        int count = 0;
        for (int left = 1 + _dice.Below(VisitMax); left > 0; left--)
            count += Do(client);
        return count;
    }

    private int Do(RespClient client)
    {
        switch (_dice.Below(10))
        {
            case 0:
                return Transact(client);
            case 1:
                return CallByScript(client);
            case 2:
                _lapsing[_dice.Below(_lapsing.Length)].Step(client, _dice);
                return 1;
            case < 6:
                Call(client, Next());
                return 1;
            default:
                return Pipeline(client, PipelineMax);
        }
    }

    private SoakStep Next() => _keys[_dice.Below(_keys.Length)].Step(_dice);

    private static void Call(RespClient client, SoakStep step) => step.Check(client.Call(step.Command));

    private int Pipeline(RespClient client, int countMax)
    {
        List<SoakStep> steps = Some(countMax);
        client.SendRaw(Bytes(steps.Select(static step => step.Command)));
        foreach (SoakStep step in steps)
            step.Check(client.Read());
        return steps.Count;
    }

    private int Transact(RespClient client)
    {
        List<SoakStep> steps = Some(PipelineMax / 4);
        string[] watched = ["WATCH", .. steps.Select(static step => step.Command[1])];
        Assert.Equal("+OK", client.Call(watched).ToString());
        client.SendRaw(Bytes([["MULTI"], .. steps.Select(static step => step.Command), ["EXEC"]]));
        Assert.Equal("+OK", client.Read().ToString());
        foreach (SoakStep _ in steps)
            Assert.Equal("+QUEUED", client.Read().ToString());
        RespValue replies = client.Read();
        Assert.True(replies.Items.Count == steps.Count, $"EXEC of {steps.Count} commands got {replies.Kind} "
            + $"{replies.Text} of {replies.Items.Count} items");
        for (int index = 0; index < steps.Count; index++)
            steps[index].Check(replies.Items[index]);
        return steps.Count + 3;
    }

    // Half of the scripts do not declare their key.
    private int CallByScript(RespClient client)
    {
        SoakStep step = Next();
        bool isLong = step.Command.Length > ScriptWordsMax;
        string[] declared = _dice.OneOf(2) ? ["1", step.Command[1]] : ["0"];
        string[] command = isLong ? step.Command : ["EVAL", CallScript, .. declared, .. step.Command];
        step.Check(client.Call(command));
        return 1;
    }

    // So few that the server takes them whether replies are read or not.
    private List<SoakStep> Some(int countMax)
    {
        List<SoakStep> steps = [];
        int bytes = 0;
        for (int left = 1 + _dice.Below(countMax); left > 0 && bytes < PipelineBytesMax; left--)
        {
            steps.Add(Next());
            bytes += steps[^1].Command.Sum(static word => word.Length);
        }

        return steps;
    }

    private static byte[] Bytes(IEnumerable<string[]> commands) =>
        [.. commands.SelectMany(static command => RespClient.Encode(command))];

    private static SoakKey[] KeysOf(string name) =>
    [
        new SoakString("string:" + name), new SoakCounter("counter:" + name), new SoakBits("bits:" + name),
        new SoakHash("hash:" + name), new SoakList("list:" + name), new SoakSet("set:" + name),
        new SoakSortedSet("zset:" + name), new SoakStream("stream:" + name),
    ];
}

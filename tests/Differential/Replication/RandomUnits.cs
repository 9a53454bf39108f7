using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A stream of random units, as a master sends it, and what each leaves in a naive model: commands
/// of one key and of several, databases, transactions, a long command.</summary>
internal sealed class RandomUnits
{
    private const int KeyCount = 40;
    private const int CounterCount = 8;

    private readonly List<Action<Dictionary<string, long>>> _effects = [];
    private readonly List<int> _ends = [0];
    private readonly MemoryStream _bytes = new();
    private readonly Random _random;

    /// <param name="seed">Chooses the units.</param>
    /// <param name="count">How many.</param>
    public RandomUnits(int seed, int count)
    {
        _random = new Random(seed);
        while (_effects.Count < count)
            Add();
    }

    /// <summary>The stream.</summary>
    public byte[] Bytes => _bytes.ToArray();

    /// <summary>The number of units that end at an offset; −1: none does.</summary>
    public int CountAt(int offset) => Math.Max(-1, _ends.BinarySearch(offset));

    /// <summary>What the first units leave.</summary>
    public Dictionary<string, long> DataBehind(int count)
    {
        Dictionary<string, long> data = [];
        foreach (Action<Dictionary<string, long>> effect in _effects.Take(count))
            effect(data);
        return data;
    }

    /// <summary>What a server has of it.</summary>
    public static Dictionary<string, long> DataOf(RespClient client)
    {
        Dictionary<string, long> data = [];
        foreach (string database in (string[])["1", "0"])
        {
            client.Call("SELECT", database);
            foreach (RespValue key in client.Call("KEYS", "*").Items)
                data[database + key.Text] = client.Call("GET", key.Text).Integer;
        }

        return data;
    }

    private void Add()
    {
        int number = _effects.Count;
        string first = $"k{_random.Next(KeyCount)}";
        string second = $"k{_random.Next(KeyCount)}";
        string counter = $"c{_random.Next(CounterCount)}";
        string text = number.ToString(CultureInfo.InvariantCulture);
        switch (_random.Next(20))
        {
            case 0:
                Add(data => { data.Remove("0" + first); data.Remove("0" + second); }, ["DEL", first, second]);
                break;
            case 1:
                Add(data => data["0" + first] = data["0" + second] = number,
                    ["MSET", first, text, second, text]);
                break;
            case 2:
                Add(data => { Increment(data, "0c0"); Increment(data, "0" + counter); }, ["MULTI"],
                    ["INCR", "c0"], ["INCR", counter], ["EXEC"]);
                break;
            case 3:
                Add(_ => { }, ["SELECT", "1"]);
                Add(data => data["1" + first] = number, ["SET", first, text]);
                Add(_ => { }, ["SELECT", "0"]);
                break;
            case 4:
                Add(_ => { }, ["PING"]);
                break;
            case 5:
                // It may take long, so it is applied alone.
                Add(data => Copy(data, "0" + first, "0" + second), ["COPY", first, second, "REPLACE"]);
                break;
            case < 13:
                Add(data => Increment(data, "0" + counter), ["INCR", counter]);
                break;
            default:
                Add(data => data["0" + first] = number, ["SET", first, text]);
                break;
        }
    }

    private static void Increment(Dictionary<string, long> data, string key) =>
        data[key] = data.GetValueOrDefault(key) + 1;

    private static void Copy(Dictionary<string, long> data, string source, string target)
    {
        if (data.TryGetValue(source, out long number))
            data[target] = number;
    }

    private void Add(Action<Dictionary<string, long>> effect, params ReadOnlySpan<string[]> commands)
    {
        foreach (string[] command in commands)
            _bytes.Write(RespClient.Encode(command));
        _effects.Add(effect);
        _ends.Add((int)_bytes.Length);
    }
}

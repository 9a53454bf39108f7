using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>The names, values and deadlines of random commands.</summary>
internal sealed class Scene
{
    /// <summary>Databases.</summary>
    public const int DatabaseCount = 2;

    /// <summary>Milliseconds from era to era.</summary>
    public const long EraMs = 1_000_000;

    private const int BigCount = 150;
    private const int MemberLength = 100;
    private const int BigLength = 3000;
    private const int MegaLength = 70_000;

    /// <summary>The names of all types.</summary>
    public static readonly string[] Kinds = ["string", "list", "set", "zset", "hash", "stream"];

    private readonly long _startMs;
    private int _valueLast;

    /// <summary>Makes it.</summary>
    /// <param name="dice">Chance.</param>
    /// <param name="startMs">When era 0 begins, in Unix milliseconds.</param>
    public Scene(Dice dice, long startMs)
    {
        Dice = dice;
        _startMs = startMs;
    }

    /// <summary>Chance.</summary>
    public Dice Dice { get; }

    /// <summary>The era.</summary>
    public int Era { get; set; }

    /// <summary>The type that most commands are about at the moment; null: all.</summary>
    public string? Theme { get; set; }

    /// <summary>Whether the command being made is queued in a transaction.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Clients that can be unblocked: their numbers, and their identifiers at the server.</summary>
    public List<(int Peer, long Id)> Peers { get; } = [];

    /// <summary>The names of all keys.</summary>
    public static IEnumerable<string> AllKeys =>
        Kinds.SelectMany(static kind => new[] { $"{kind}0", $"{kind}1" });

    /// <summary>A key that most often has a type.</summary>
    public string Key(string kind) =>
        $"{(Dice.OneIn(12) ? Dice.Pick(Kinds) : kind)}{(Dice.OneIn(4) ? 1 : 0)}";

    /// <summary>Any key, most often of the type that commands are about.</summary>
    public string AnyKey() => Key(Dice.OneIn(3) ? Dice.Pick(Kinds) : Theme ?? Dice.Pick(Kinds));

    /// <summary>One or two keys of a type.</summary>
    public string[] Keys(string kind) => Dice.Some(2, () => Key(kind)).Distinct().ToArray();

    /// <summary>A value that was never there before; sometimes a long one.</summary>
    public string Value() => Pad($"v{++_valueLast}");

    /// <summary>A value that may be there.</summary>
    public string SomeValue() => $"v{_valueLast - Dice.Below(12)}";

    /// <summary>A member, or a field; sometimes a long one.</summary>
    public string Member()
    {
        int number = Dice.Below(24);
        return number < 3 ? $"m{number}".PadRight(MemberLength, 'x') : $"m{number}";
    }

    /// <summary>One to three members, sometimes many.</summary>
    public string[] Members() => Dice.OneIn(40)
        ? [.. Enumerable.Range(0, BigCount).Select(static number => $"b{number}")]
        : [.. Dice.Some(3, Member).Distinct()];

    /// <summary>Some members, each with a value.</summary>
    public (string Member, string Value)[] Pairs()
    {
        string[] members = Members();
        return [.. members.Select(one => (one, members.Length > 3 ? $"v{++_valueLast}" : Value()))];
    }

    /// <summary>One to three values, sometimes many.</summary>
    public string[] Values() => Dice.OneIn(40)
        ? [.. Enumerable.Range(0, BigCount).Select(_ => $"v{++_valueLast}")]
        : Dice.Some(2, Value);

    /// <summary>A number of elements that are asked for.</summary>
    public int Count() => Dice.OneIn(3) ? 1000 : 1 + Dice.Below(3);

    /// <summary>A consumer group.</summary>
    public string Group() => Dice.OneIn(4) ? "g1" : "g0";

    /// <summary>The last era that something is there in: this one or the next, rarely one that is
    /// over.</summary>
    public int Deadline() => Era + (Dice.OneIn(8) ? -1 : Dice.Below(2));

    /// <summary>When something ends that is there in an era for the last time, in Unix
    /// milliseconds.</summary>
    public string UntilMs(int era) => Text(_startMs + (era * EraMs) + (EraMs / 2));

    /// <summary>How long a command waits, in milliseconds; 0: for ever.</summary>
    public long TimeoutMs() => Dice.OneIn(3) ? 5 + Dice.Below(40) : 0;

    /// <summary>A number in words.</summary>
    public static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Milliseconds as seconds.</summary>
    public static string Seconds(long ms) => (ms / 1000m).ToString(CultureInfo.InvariantCulture);

    private string Pad(string value) => Dice.Below(20) switch
    {
        0 or 1 => value.PadRight(BigLength, '.'),
        2 when Dice.OneIn(2) => value.PadRight(MegaLength, '-'),
        _ => value,
    };
}

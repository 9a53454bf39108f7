using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of all types, alone and in transactions.</summary>
internal sealed class TypedWorkload
{
    // Memory of fewer is free at once.
    private const int ManyCount = 1100;

    private readonly Scene _scene;
    private readonly SimulationOptions _options;

    /// <summary>Makes it.</summary>
    public TypedWorkload(Scene scene, SimulationOptions options)
    {
        _scene = scene;
        _options = options;
    }

    /// <summary>The configuration: in most seeds small collections become big ones early.</summary>
    public static (string, string)[] Limits(Dice dice) => dice.OneIn(3) ? [] :
    [
        ("list-max-listpack-size", dice.Pick("2", "-1")), ("hash-max-listpack-entries", dice.Pick("2", "8")),
        ("set-max-listpack-entries", dice.Pick("2", "8")), ("zset-max-listpack-entries", dice.Pick("2", "8")),
        ("stream-node-max-entries", dice.Pick("1", "3")), ("set-max-intset-entries", "4"),
        ("lazyfree-lazy-user-flush", dice.Pick("yes", "no")),
    ];

    /// <summary>What a client sends, one command or a few.</summary>
    public TypedOperation[] MakeSome() => _scene.Dice.Below(24) switch
    {
        0 or 1 or 2 => [.. MakeShortLived()],
        3 or 4 => [.. MakeWatching()],
        5 when _scene.Dice.OneIn(4) => [.. MakeMany()],
        _ => _scene.Dice.Some(2, () => _scene.Dice.OneIn(7) ? MakeTransaction() : Of(MakeOne())),
    };

    private TypedOperation MakeTransaction()
    {
        _scene.IsQueued = true;
        TypedCommand[] queued = _scene.Dice.Some(5, MakeOne);
        _scene.IsQueued = false;
        return new TypedOperation
        {
            Bytes =
            [
                .. RespClient.Encode(["MULTI"]),
                .. queued.SelectMany(static one => RespClient.Encode(one.Words)),
                .. RespClient.Encode(["EXEC"]),
            ],
            ReplyCount = queued.Length + 2,
            Text = $"MULTI {string.Join("; ", queued.Select(static one => string.Join(' ', one.Words)))}",
            Run = run => Execute(run, queued),
            Show = reply => reply.Items.Count != queued.Length
                ? Shown.Of(reply)
                : Shown.Many(queued.Zip(reply.Items, static (one, item) => one.Show(item))),
        };
    }

    // A client waits for a key that is there, and may be gone before the key is checked again.
    private IEnumerable<TypedOperation> MakeShortLived()
    {
        string key = _scene.Key("list");
        yield return Of(ListCommands.Push(_scene, key));
        yield return Of(KeyCommands.Expire(_scene, key, _scene.Era));
        yield return Of(ListCommands.MultiPop(_scene, [key], isWaiting: true));
    }

    // Concurrent commands of others decide the outcome of the transaction.
    private IEnumerable<TypedOperation> MakeWatching()
    {
        yield return Of(ClientCommands.Watch([.. _scene.Dice.Some(2, _scene.AnyKey)]));
        if (_scene.Dice.OneIn(4))
            yield return Of(MakeOne());
        if (_scene.Dice.OneIn(8))
            yield return Of(ClientCommands.Unwatch());
        if (!_scene.Dice.OneIn(8))
            yield return MakeTransaction();
    }

    // So many keys that the flushing client waits for their memory.
    private IEnumerable<TypedOperation> MakeMany()
    {
        string[] pairs =
            [.. Enumerable.Range(0, ManyCount).SelectMany(static one => new[] { $"~{one}", "" })];
        yield return Of(new TypedCommand(["MSET", .. pairs], static _ => Shown.Ok));
        yield return Of(KeyCommands.Clear(_scene));
        yield return Of(MakeOne());
    }

    private static TypedOperation Of(TypedCommand command) => TypedOperation.Of(command);

    /// <summary>The commands that show all stored data of a state.</summary>
    public IEnumerable<TypedCommand> Look(ModelState state, int database)
    {
        foreach (string key in Scene.AllKeys)
        {
            Content? content = state.Keys.GetValueOrDefault(new Place(database, key))?.Content;
            yield return KeyCommands.Type(key);
            yield return KeyCommands.Deadline(_scene, key);
            switch (content)
            {
                case Content.Text:
                    yield return KeyCommands.Get(key);
                    break;
                case Content.Elements:
                    yield return ListCommands.Range(key);
                    break;
                case Content.Members:
                    yield return SetCommands.All(key);
                    break;
                case Content.Scores:
                    yield return SortedSetCommands.Range(key);
                    break;
                case Content.Fields hash:
                    yield return HashCommands.All(key);
                    yield return HashCommands.Deadlines(_scene, key, [.. hash.Items.Keys]);
                    break;
                case Content.Stream stream:
                    yield return StreamCommands.Range(key);
                    foreach (string group in stream.Groups.Keys)
                        yield return StreamCommands.Pending(key, group);
                    break;
            }
        }
    }

    private static string Execute(ModelRun run, TypedCommand[] queued)
    {
        if (run.Unwatch())
            return Shown.Null;
        run.IsTransaction = true;
        int database = run.Database;
        return Shown.Many(queued.Select(one =>
        {
            run.Database = database;
            return one.Run(run)!;
        }));
    }

    private TypedCommand MakeOne()
    {
        if (_scene.Dice.OneIn(5))
            return KeyCommands.Make(_scene);
        if (!_scene.IsQueued && _scene.Dice.OneIn(16))
            return ClientCommands.Make(_scene);
        string any = _scene.Dice.Pick(Scene.Kinds);
        return (_scene.Dice.OneIn(5) ? any : _scene.Theme ?? any) switch
        {
            "string" => KeyCommands.MakeOfString(_scene),
            "list" => ListCommands.Make(_scene),
            "set" => SetCommands.Make(_scene),
            "zset" => SortedSetCommands.Make(_scene, _options.SwapsScores),
            "hash" => HashCommands.Make(_scene, _options.DelaysFields),
            _ => StreamCommands.Make(_scene),
        };
    }
}

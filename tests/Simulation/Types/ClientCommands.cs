using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands about clients, and their effects.</summary>
internal static class ClientCommands
{
    private const int PauseMsMax = 20;

    /// <summary>A random command that ends or holds back what another client does.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(8) switch
    {
        0 => Kill(scene),
        1 => Pause(scene),
        2 => new TypedCommand(["CLIENT", "UNPAUSE"], static _ => Shown.Ok),
        _ => Unblock(scene),
    };

    /// <summary>WATCH.</summary>
    public static TypedCommand Watch(params string[] keys) => new(["WATCH", .. keys], run =>
    {
        foreach (string key in keys)
            run.Watch(key);
        return Shown.Ok;
    });

    /// <summary>UNWATCH.</summary>
    public static TypedCommand Unwatch() => new(["UNWATCH"], static run =>
    {
        run.Unwatch();
        return Shown.Ok;
    });

    private static TypedCommand Unblock(Scene scene)
    {
        (int peer, long id) = scene.Dice.Pick(scene.Peers);
        bool isError = scene.Dice.OneIn(2);
        string[] reason = isError ? ["ERROR"] : scene.Dice.OneIn(2) ? ["TIMEOUT"] : [];
        return new(["CLIENT", "UNBLOCK", Scene.Text(id), .. reason], run =>
            Shown.Integer(run.End(peer, isError ? "-UNBLOCKED" : Shown.Null) ? 1 : 0));
    }

    // A client cannot kill itself this way.
    private static TypedCommand Kill(Scene scene)
    {
        (int peer, long id) = scene.Dice.Pick(scene.Peers);
        return new(["CLIENT", "KILL", "ID", Scene.Text(id)], run =>
            Shown.Integer(run.Peer != peer && run.Kill(peer) ? 1 : 0));
    }

    // It changes only the times of effects.
    private static TypedCommand Pause(Scene scene)
    {
        string[] mode = scene.Dice.OneIn(2) ? ["WRITE"] : [];
        string timeout = Scene.Text(1 + scene.Dice.Below(PauseMsMax));
        return new(["CLIENT", "PAUSE", timeout, .. mode], static _ => Shown.Ok);
    }
}

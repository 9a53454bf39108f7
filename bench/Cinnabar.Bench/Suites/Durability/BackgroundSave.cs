using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>A BGSAVE from its command to its end.</summary>
internal sealed class BackgroundSave
{
    private const string SaverThread = "saver";
    private const int SecondsMax = 300;
    private const int SaverAttemptMax = 200;
    private readonly MeasuredServer _server;
    private readonly ServerLink _link;
    private readonly long _start = Stopwatch.GetTimestamp();

    private BackgroundSave(MeasuredServer server, ServerLink link) => (_server, _link) = (server, link);

    /// <summary>Gives the command.</summary>
    /// <exception cref="LoadException">The server refuses it.</exception>
    public static BackgroundSave Begin(MeasuredServer server, ServerLink link)
    {
        var save = new BackgroundSave(server, link);
        link.Ask("BGSAVE");
        return save;
    }

    /// <summary>Whether it goes on.</summary>
    /// <exception cref="LoadException">It failed, or takes too long.</exception>
    public bool IsRunning()
    {
        if (_link.Info("rdb_bgsave_in_progress") != "0")
            return Elapsed.TotalSeconds < SecondsMax ? true
                : throw new LoadException($"{_server.Spec.Name} saves for more than {SecondsMax} s");
        return _link.Info("rdb_last_bgsave_status") == "ok" ? false
            : throw new LoadException($"{_server.Spec.Name} could not save");
    }

    /// <summary>How long ago the command was given.</summary>
    public TimeSpan Elapsed => Stopwatch.GetElapsedTime(_start);

    /// <summary>Moves the process or thread that saves to a core, where it gets the time that others
    /// leave.</summary>
    /// <exception cref="LoadException">The save is over, or nothing known saves.</exception>
    public void MoveTo(int core)
    {
        for (int attempt = 0; _server.MoveSavers(SaverThread, core) == 0; attempt++)
        {
            if (attempt == SaverAttemptMax)
                throw new LoadException($"{_server.Spec.Name}: no thread {SaverThread}, and no child");
            Thread.Sleep(1);
        }
    }

    /// <summary>Waits for its end.</summary>
    /// <exception cref="LoadException">It failed, or takes too long.</exception>
    public void Wait()
    {
        while (IsRunning()) Thread.Sleep(5);
    }
}

using System;
using System.Collections.Generic;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A master and its replica, on each side with a client, another that waits, and a listener to
/// keyspace events; writes down all that they see.</summary>
internal sealed class ObservedPair : IDisposable
{
    private const string Channel = "__keyevent@0__:end";

    private readonly List<RespClient> _all = [];
    private readonly RespClient _master;
    private readonly RespClient _replica;
    private readonly RespClient _waiterOfMaster;
    private readonly RespClient _waiterOfReplica;
    private readonly RespClient _infoOfMaster;
    private readonly RespClient _infoOfReplica;
    private readonly RespClient[] _listeners;

    public ObservedPair(OracleServer master, OracleServer replica)
    {
        (_master, _waiterOfMaster) = (Connect(master), Connect(master));
        (_replica, _waiterOfReplica) = (Connect(replica), Connect(replica));
        (_infoOfMaster, _infoOfReplica) = (Connect(master), Connect(replica));
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(_infoOfReplica, "replication", "master_link_status") == "up");
        _listeners = [Connect(master), Connect(replica)];
        foreach (RespClient listener in _listeners)
            listener.Run("PSUBSCRIBE __keyevent@*");
    }

    /// <summary>Replies and events.</summary>
    public List<string> Seen { get; } = [];

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (RespClient client in _all)
            client.Dispose();
    }

    /// <summary>Executes commands on the master, and waits until the replica has them.</summary>
    public void OnMaster(params ReadOnlySpan<string[]> commands)
    {
        Execute(_master, "master", commands);
        Synchronise();
    }

    /// <summary>Executes commands on the replica.</summary>
    public void OnReplica(params ReadOnlySpan<string[]> commands) => Execute(_replica, "replica", commands);

    /// <summary>Executes commands on both.</summary>
    public void OnBoth(params ReadOnlySpan<string[]> commands)
    {
        OnMaster(commands);
        OnReplica(commands);
    }

    /// <summary>A client of the master waits; a command of another ends that.</summary>
    public void AwaitServed(string[] wait, string[] command)
    {
        Wait(_waiterOfMaster, _infoOfMaster, wait);
        OnMaster(command);
        Note("waited", wait, _waiterOfMaster.Read());
        Synchronise();
    }

    /// <summary>A client of the replica waits; a command of another ends that.</summary>
    public void AwaitServedByReplica(string[] wait, string[] command)
    {
        Wait(_waiterOfReplica, _infoOfReplica, wait);
        OnReplica(command);
        Note("waited", wait, _waiterOfReplica.Read());
    }

    /// <summary>A client of the replica waits; a command of the master ends that.</summary>
    public void AwaitServedByStream(string[] wait, string[] command)
    {
        Wait(_waiterOfReplica, _infoOfReplica, wait);
        OnMaster(command);
        Note("waited", wait, _waiterOfReplica.Read());
    }

    /// <summary>Writes down the events so far.</summary>
    public void TakeEvents()
    {
        foreach (RespClient client in (RespClient[])[_master, _replica])
        {
            Synchronise();
            client.Call("PUBLISH", Channel, "");
        }

        foreach (RespClient listener in _listeners)
            TakeEvents(listener, listener == _listeners[0] ? "master" : "replica");
    }

    // The replica gets the end of the master's events, too, before that of its own.
    private void TakeEvents(RespClient listener, string side)
    {
        for (int endCount = side == "master" ? 1 : 2; endCount > 0;)
        {
            IReadOnlyList<RespValue> message = listener.Read().Items;
            if (message[2].Text == Channel)
                endCount--;
            Seen.Add($"{side}: {message[2].Text} {message[3].Text}");
        }
    }

    private RespClient Connect(OracleServer server)
    {
        RespClient client = server.Connect();
        _all.Add(client);
        return client;
    }

    private static void Wait(RespClient waiter, RespClient other, string[] wait)
    {
        waiter.Send(wait);
        ReplicationPair.Await("it waits",
            () => ReplicationPair.Number(other, "clients", "blocked_clients") == 1);
    }

    private void Execute(RespClient client, string side, ReadOnlySpan<string[]> commands)
    {
        foreach (string[] command in commands)
            Note(side, command, client.Call(command));
    }

    private void Note(string side, string[] command, RespValue reply) =>
        Seen.Add($"{side}: {string.Join(' ', command)}: {reply}");

    private void Synchronise() => ReplicationPair.Await("the replica has it",
        () => ReplicationPair.Number(_infoOfMaster, "replication", "master_repl_offset")
            == ReplicationPair.Number(_infoOfReplica, "replication", "slave_repl_offset"));
}

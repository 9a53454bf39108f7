using System;
using System.Collections.Generic;
using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Executions;
using Cinnabar.Tests.Simulation.Snapshots;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Durability;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>What a master had at some offsets of its stream, with which replicas are compared.</summary>
/// <param name="engine">The master.</param>
/// <param name="tape">Its stream.</param>
/// <param name="seed">What is wrong on purpose comes from this.</param>
/// <param name="fault">What is wrong on purpose.</param>
internal sealed class KnownStates(ServerEngine engine, StreamTape tape, ulong seed, ReplicaFault fault)
{
    private const int CheckpointCountMax = 3;

    private readonly Dice _dice = new(seed);
    private readonly Dictionary<(int Stream, long Offset), Dictionary<string, string>> _moments = [];
    private readonly List<Checkpoint> _checkpoints = [];

    /// <summary>How often the data of a replica were compared with the master's.</summary>
    public int ComparisonCount { get; private set; }

    /// <summary>How often the keys of a full synchronisation were compared with those of its
    /// moment.</summary>
    public int MomentCount { get; private set; }

    /// <summary>Keeps the keys of a snapshot's moment. The caller holds all stripes.</summary>
    public void NoteMoment()
    {
        if (!engine.Replication.Stream.IsAttached)
            return;
        // The offset is that of all records: one that is not drained yet belongs to the keys, too.
        engine.Data.Journal.DrainAll();
        using var collector = new EntryCollector();
        collector.CollectAll(engine.Keyspace);
        tape.Record();
        _moments[(tape.StreamCount, engine.Replication.Offset)] = collector.Entries;
    }

    /// <summary>Fails where the data of a full synchronisation are not those of its moment. Older forms have
    /// other bytes for the same values, and are not compared here.</summary>
    public void CheckMoment(SimulatedReplica replica, ReplicaData data)
    {
        if (!_moments.TryGetValue(
            (data.Stream, data.FirstOffset), out Dictionary<string, string>? expected))
            throw new InvalidDataException($"no snapshot was taken at {data.FirstOffset}");
        if (!replica.TellsVersion)
            return;
        EntryCollector.Compare(expected, RdbFileEntries.Of(data.Payload));
        MomentCount++;
    }

    /// <summary>Writes all data down, if the master has a stream and all stripes are free.</summary>
    public bool TryWrite() => _checkpoints.Count < CheckpointCountMax
        && AllStripes.TryRun(engine.Keyspace, () =>
        {
            if (!engine.Replication.Stream.IsAttached)
                return;
            engine.Data.Journal.DrainAll();
            tape.Record();
            _checkpoints.Add(
                new Checkpoint(tape.StreamCount, engine.Replication.Offset, StoredState.Of(engine)));
        });

    /// <summary>As <see cref="TryWrite"/>, in place of the first where there are enough.</summary>
    public bool TryWriteLast()
    {
        if (_checkpoints.Count == CheckpointCountMax)
            _checkpoints.RemoveAt(0);
        return TryWrite();
    }

    /// <summary>Fails where a replica has other data than the master had at one of these offsets.</summary>
    public void Compare(ReplicaData data)
    {
        foreach (Checkpoint checkpoint in _checkpoints)
        {
            long offset = checkpoint.Offset;
            if (checkpoint.Stream != data.Stream || offset < data.FirstOffset || offset > data.WholeOffset)
                continue;
            if (!data.IsUnitEnd(offset))
                throw new InvalidDataException($"no unit of the stream ends at {offset}");
            byte[] stream = data.StreamUntil(offset).ToArray();
            if (fault == ReplicaFault.SkipsCommand)
                stream = WithoutOneCommand(stream);
            LoadedData.Compare(checkpoint.Lines, LoadedData.Of(data.Payload, stream), $"at {offset}");
            ComparisonCount++;
        }
    }

    private byte[] WithoutOneCommand(byte[] stream)
    {
        List<(int Start, int End)> commands = [];
        for (int start = 0, position = 0; start < stream.Length; start = position)
        {
            string name = StreamCommands.TryRead(stream, ref position)!;
            if (name is not ("PING" or "SELECT" or "MULTI" or "EXEC"))
                commands.Add((start, position));
        }

        if (commands.Count == 0)
            return stream;
        (int from, int to) = _dice.Pick(commands);
        return [.. stream.AsSpan(0, from), .. stream.AsSpan(to)];
    }
}

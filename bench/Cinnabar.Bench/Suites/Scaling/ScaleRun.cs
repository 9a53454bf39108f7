using System;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Scaling;

/// <summary>The connections of a load to one server, with those that listen.</summary>
internal sealed class ScaleRun : IDisposable
{
    private const int ValueSize = 256;
    private readonly MeasuredServer _server;
    private readonly LoadGenerator _generator;
    private readonly SubscriberCrowd? _subscribers;

    /// <summary>Opens them.</summary>
    public ScaleRun(ScaleLoad load, MeasuredServer server, Round round, long keyCount)
    {
        _server = server;
        _generator = new LoadGenerator(round.Load(server, keyCount, ValueSize) with
        {
            ClientCount = load.ClientCount,
            Depth = load.Depth,
            Commands = load.Commands,
        });
        if (load.SubscriberCount > 0)
            _subscribers = new SubscriberCrowd(server.Address, load.SubscriberCount, round.LoadCores);
    }

    /// <summary>Runs the load for some seconds.</summary>
    /// <returns>The server's processor time of an operation, in microseconds.</returns>
    /// <exception cref="LoadException">The server answered an error, or its subscribers got nothing.
    /// </exception>
    public double Run(double seconds)
    {
        long bytes = _subscribers?.ReceivedBytes ?? 0;
        double cpu = Round.UsageOf(_server).CpuSeconds();
        LoadResult result = _generator.Run(seconds);
        cpu = Round.UsageOf(_server).CpuSeconds() - cpu;
        if (result.ErrorCount > 0)
            throw new LoadException($"{_server.Spec.Name} answered: {result.FirstError}");
        if (_subscribers is not null && _subscribers.ReceivedBytes == bytes)
            throw new LoadException($"{_server.Spec.Name}: no message came to the subscribers");
        return cpu * 1e6 / result.RequestCount;
    }

    public void Dispose()
    {
        _subscribers?.Dispose();
        _generator.Dispose();
    }
}

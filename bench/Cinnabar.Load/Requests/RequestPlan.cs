using System;
using System.Linq;

namespace Cinnabar.Load.Requests;

/// <summary>The parts that all clients of a load share: compiled commands, their round, keys,
/// values.</summary>
internal sealed class RequestPlan : IDisposable
{
    private const long BatchSizeMax = 1 << 30;

    /// <summary>Compiles the commands of a load.</summary>
    /// <exception cref="LoadException">An option makes no sense.</exception>
    public RequestPlan(LoadOptions options)
    {
        options.Keys.Check();
        (Keys, Data) = (options.Keys, options.Data);
        BeginsWithFirst = options.BeginsWithFirst;
        Cycle = new CommandCycle([.. options.Commands.Select(command => command.Weight)]);
        Programs = [.. options.Commands.Select(command =>
            new RequestProgram(command, Keys, Data, options.IsRandomData))];
        Patterns = [.. options.Commands.Select(command => command.Pattern)];
        Names = [.. options.Commands.Select(command => command.Name)];
        RequestSizeMax = Programs.Max(program => program.SizeMax);
        if (RequestSizeMax * options.Depth > BatchSizeMax)
            throw new LoadException("what one client sends at once is more than 1 GB");
        Pool = new DataPool(Data.Maximum, options.IsRandomData, options.Seed);
    }

    /// <summary>The commands, by number.</summary>
    public RequestProgram[] Programs { get; }

    /// <summary>In which order each command visits the keys.</summary>
    public KeyPattern[] Patterns { get; }

    /// <summary>The commands' names in results.</summary>
    public string[] Names { get; }

    /// <summary>The order of the commands.</summary>
    public CommandCycle Cycle { get; }

    /// <summary>Whether every client begins with the first command.</summary>
    public bool BeginsWithFirst { get; }

    /// <summary>The keys.</summary>
    public KeySpace Keys { get; }

    /// <summary>The sizes of values.</summary>
    public DataSizes Data { get; }

    /// <summary>The bytes of values.</summary>
    public DataPool Pool { get; }

    /// <summary>The largest size that a request can have, in bytes.</summary>
    public long RequestSizeMax { get; }

    public void Dispose() => Pool.Dispose();
}

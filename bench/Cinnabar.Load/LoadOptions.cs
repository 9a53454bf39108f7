using System.Collections.Generic;
using Cinnabar.Load.Requests;

namespace Cinnabar.Load;

/// <summary>A load: which requests, and how fast. <see cref="LoadGenerator"/> runs it.</summary>
public sealed record LoadOptions
{
    /// <summary>The server.</summary>
    public ServerAddress Server { get; init; } = new();

    /// <summary>How every connection begins.</summary>
    public SessionOptions Session { get; init; } = new();

    /// <summary>How many threads make load, each with clients of its own.</summary>
    public int ThreadCount { get; init; } = 1;

    /// <summary>How many clients, each with a connection, a thread has.</summary>
    public int ClientCount { get; init; } = 50;

    /// <summary>How many requests a client sends at once before it waits for their replies.</summary>
    public int Depth { get; init; } = 1;

    /// <summary>The commands, with their weights; by default 1 SET to 10 GETs.</summary>
    public IReadOnlyList<CommandTemplate> Commands { get; init; } =
        [CommandTemplate.Set(1), CommandTemplate.Get(10)];

    /// <summary>Whether every client begins with the first command, as transactions need it, instead of at a
    /// place of its own in the round of commands.</summary>
    public bool BeginsWithFirst { get; init; }

    /// <summary>The keys.</summary>
    public KeySpace Keys { get; init; } = new();

    /// <summary>The sizes of values.</summary>
    public DataSizes Data { get; init; } = DataSizes.Fixed(32);

    /// <summary>Whether values are random bytes, each its own, instead of the letter x.</summary>
    public bool IsRandomData { get; init; }

    /// <summary>For how many seconds requests are sent; null: until another limit is reached.</summary>
    public double? Seconds { get; init; } = 10;

    /// <summary>How many requests each client sends at most; null: any number.</summary>
    public long? RequestCount { get; init; }

    /// <summary>Open loop: requests a second over all threads, sent on schedule, where latency counts from
    /// the moment at which the schedule wanted a request sent. Null: closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>Closed loop with a brake: requests a second of each client at most; latency counts from when
    /// they were sent. Null: as fast as replies come.</summary>
    public double? ClientRate { get; init; }

    /// <summary>Where random numbers begin.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>Whether all clients use the same random numbers instead of each its own.</summary>
    public bool HasOneSeed { get; init; }

    /// <summary>The cores that the load's threads are kept on, in turn; empty: wherever they
    /// like.</summary>
    public IReadOnlyList<int> Cores { get; init; } = [];

    /// <summary>Whether a thread that makes load beside a probe has priority over all other threads of its
    /// core, except in its rests.</summary>
    public bool IsFirst { get; init; }

    /// <summary>Whether the framework's sockets are used even where Linux's own calls could be.</summary>
    public bool IsPortable { get; init; }

    /// <summary>For how long no reply at all may come before the run is given up, in seconds.</summary>
    public double StallSecondsMax { get; init; } = 30;

    /// <summary>For how long after its end an open loop still sends what was due before, in
    /// seconds.</summary>
    public double DrainSecondsMax { get; init; } = 5;

    /// <summary>The load that sets each of these options' keys once, as fast as it goes.</summary>
    public LoadOptions ForPopulating() => this with
    {
        ThreadCount = 1,
        ClientCount = (int)long.Min(16, Keys.Count),
        Depth = 30,
        Commands = [CommandTemplate.Set(1, KeyPattern.Parallel)],
        Seconds = null,
        RequestCount = null,
        IsEachKeyOnce = true,
        Rate = null,
        ClientRate = null,
    };

    /// <summary>Whether the clients together send as many requests as there are keys; in the order of <see
    /// cref="KeyPattern.Parallel"/> they visit each key once.</summary>
    public bool IsEachKeyOnce { get; init; }

    /// <summary>Throws where the options make no sense.</summary>
    /// <exception cref="LoadException">They do not.</exception>
    internal void Check()
    {
        if (ThreadCount is < 1 or > 1024) throw new LoadException("a load has 1 to 1024 threads");
        if (ClientCount is < 1 or > 100_000) throw new LoadException("a thread has 1 to 100000 clients");
        if (Depth is < 1 or > 1_000_000) throw new LoadException("a pipeline is 1 to 1000000 deep");
        if (Seconds <= 0) throw new LoadException("the test time is above 0");
        if (RequestCount <= 0) throw new LoadException("the number of requests is above 0");
        if (Rate <= 0 || ClientRate <= 0) throw new LoadException("a rate is above 0");
        if (Rate is not null && ClientRate is not null)
            throw new LoadException("a load is an open loop (--rate) or has a brake (--rate-limiting)");
        if (Seconds is null && RequestCount is null && !IsEachKeyOnce)
            throw new LoadException("a load needs a time or a number of requests");
    }
}

using System;
using System.Collections.Generic;

namespace Cinnabar;

/// <summary>How a server in this process is set up.</summary>
public sealed record CinnabarServerOptions
{
    /// <summary>TCP port on the loopback (unless a <c>bind</c> directive says otherwise); 0: any free one;
    /// null: none.
    /// </summary>
    public int? Port { get; init; }

    /// <summary>Directives of redis.conf: name, and arguments separated by spaces.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Directives { get; init; } = [];

    /// <summary>Takes the log's lines that <c>loglevel</c> lets through, from any thread; null: there is no
    /// log.</summary>
    public Action<string>? Log { get; init; }

    /// <summary>Number of loops, each with a thread of its own; 0: one per core.</summary>
    public int LoopCount { get; init; }

    /// <summary>Whether native memory is checked: slower, and leaks and overruns are found.</summary>
    public bool IsMemoryChecked { get; init; }
}

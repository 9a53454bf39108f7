using Cinnabar.Transport.Tls;

namespace Cinnabar;

/// <summary>The options of a server in this process.</summary>
public sealed record CinnabarServerOptions
{
    /// <summary>TCP port on the loopback (unless a <c>bind</c> directive says otherwise); 0: any free one;
    /// null: none.
    /// </summary>
    public int? Port { get; init; }

    /// <summary>Directives of redis.conf: name and value, without quotes, as CONFIG SET takes them; one that
    /// takes several arguments has them separated by spaces. A server loads and saves data by itself only
    /// where <c>dir</c> is among them.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Directives { get; init; } = [];

    /// <summary>Gets the log lines that <c>loglevel</c> lets through, on any thread; null: no log.</summary>
    public Action<string>? Log { get; init; }

    /// <summary>Number of loops, each with a thread of its own; 0: one per core.</summary>
    public int LoopCount { get; init; }

    /// <summary>Whether native memory is checked for leaks and overruns, which is slower.</summary>
    public bool IsMemoryChecked { get; init; }

    /// <summary>What does TLS; null: what does it on this system.</summary>
    internal ITlsLibrary? TlsLibrary { get; init; }
}

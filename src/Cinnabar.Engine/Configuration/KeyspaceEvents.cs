namespace Cinnabar.Engine.Configuration;

/// <summary>The classes of events that <c>notify-keyspace-events</c> turns on.</summary>
[Flags]
public enum KeyspaceEvents
{
    /// <summary>No events.</summary>
    None = 0,

    /// <summary>K: publish to __keyspace@db__ channels.</summary>
    Keyspace = 1,

    /// <summary>E: publish to __keyevent@db__ channels.</summary>
    Keyevent = 2,

    /// <summary>g: commands that know no type, such as DEL.</summary>
    Generic = 4,

    /// <summary>$: string commands.</summary>
    String = 8,

    /// <summary>l: list commands.</summary>
    List = 16,

    /// <summary>s: set commands.</summary>
    Set = 32,

    /// <summary>h: hash commands.</summary>
    Hash = 64,

    /// <summary>z: sorted set commands.</summary>
    SortedSet = 128,

    /// <summary>x: keys that expired.</summary>
    Expired = 256,

    /// <summary>e: keys that were evicted.</summary>
    Evicted = 512,

    /// <summary>t: stream commands.</summary>
    Stream = 1024,

    /// <summary>m: reads of keys that do not exist; not part of A.</summary>
    KeyMiss = 2048,

    /// <summary>d: module types.</summary>
    Module = 4096,

    /// <summary>n: keys that are new; not part of A.</summary>
    New = 8192,

    /// <summary>o: keys whose value was replaced; not part of A.</summary>
    Overwritten = 16384,

    /// <summary>c: keys whose type changed; not part of A.</summary>
    TypeChanged = 32768,

    /// <summary>A: every class of its own right.</summary>
    All = Generic | String | List | Set | Hash | SortedSet | Expired | Evicted | Stream | Module,
}

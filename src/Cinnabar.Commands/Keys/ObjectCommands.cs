namespace Cinnabar.Commands.Keys;

/// <summary>OBJECT: looks into how values are stored, without touching them.</summary>
public static class ObjectCommands
{
    private const long SharedIntegerEnd = 10_000;
    private const long SharedReferenceCount = int.MaxValue;

    private static ReadOnlySpan<byte> NoFrequency =>
        "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "u8
        + "when switching between policies at runtime LRU and LFU data will take some time to adjust."u8;

    private static ReadOnlySpan<byte> NoIdleTime =>
        "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that "u8
        + "when switching between policies at runtime LRU and LFU data will take some time to adjust."u8;

    /// <summary>OBJECT ENCODING key.</summary>
    public static void Encoding(Execution execution)
    {
        if (TryFind(execution, out EntryView entry))
            execution.Reply.Bulk(NameOf(entry.Encoding));
    }

    /// <summary>OBJECT FREQ key.</summary>
    public static void Freq(Execution execution)
    {
        if (!TryFind(execution, out EntryView entry))
            return;
        if (execution.Keys.Keyspace.Frequency is { } frequency)
            execution.Reply.Integer(frequency.Count(entry, execution.NowMs));
        else
            execution.Reply.Error(NoFrequency);
    }

    /// <summary>OBJECT IDLETIME key.</summary>
    public static void IdleTime(Execution execution)
    {
        if (!TryFind(execution, out EntryView entry))
            return;
        if (execution.Keys.Keyspace.Frequency is not null)
            execution.Reply.Error(NoIdleTime);
        else
            execution.Reply.Integer(entry.IdleSeconds(execution.NowMs));
    }

    /// <summary>
    /// OBJECT REFCOUNT key: 1, save for the integers below 10,000, which Redis keeps once for all and reports
    /// with its count for what lives for ever, unless keys are evicted by their use.
    /// </summary>
    public static void RefCount(Execution execution)
    {
        if (!TryFind(execution, out EntryView entry))
            return;
        bool isShared = entry.Type == KeyType.String && entry.Encoding == KeyEncoding.Int
            && entry.Integer is >= 0 and < SharedIntegerEnd
            && !execution.Keys.Keyspace.IsUsePolicyInForce;
        execution.Reply.Integer(isShared ? SharedReferenceCount : 1);
    }

    private static bool TryFind(Execution execution, out EntryView entry)
    {
        entry = execution.Keys.Peek(execution.Key(2));
        // As in Redis, a miss is counted and is no event.
        execution.Keys.Statistics.CountLookup(!entry.IsMissing);
        if (!entry.IsMissing)
            return true;
        execution.Reply.Null();
        return false;
    }

    /// <summary>The name of an encoding, as OBJECT ENCODING replies it.</summary>
    public static ReadOnlySpan<byte> NameOf(KeyEncoding encoding) => encoding switch
    {
        KeyEncoding.Embstr => "embstr"u8,
        KeyEncoding.Int => "int"u8,
        KeyEncoding.Raw or KeyEncoding.Blocks => "raw"u8,
        KeyEncoding.Listpack => "listpack"u8,
        KeyEncoding.ListpackEx => "listpackex"u8,
        KeyEncoding.Intset => "intset"u8,
        KeyEncoding.Quicklist => "quicklist"u8,
        KeyEncoding.HashTable => "hashtable"u8,
        KeyEncoding.SkipList => "skiplist"u8,
        KeyEncoding.Stream => "stream"u8,
        _ => throw new InvalidOperationException($"The encoding {encoding} has no name."),
    };
}

using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Durability;

/// <summary>The directives that say how values are written: to RDB files, by DUMP and MIGRATE.</summary>
internal sealed class WriteOptions
{
    private readonly IDataServer _server;
    private readonly KeyDelay _keyDelay = new();

    /// <param name="server">The server.</param>
    public WriteOptions(IDataServer server)
    {
        _server = server;
        ConfigurationRegistry configuration = server.Configuration;
        configuration.Follow("rdb-key-save-delay",
            () => _keyDelay.DelayUs = configuration.NumberOf("rdb-key-save-delay"));
    }

    /// <summary>The oldest Redis that is to read what is written (<c>rdb-compatibility</c>).</summary>
    public RdbCompatibility Compatibility =>
        RdbCompatibility.Redis62 + (int)_server.Configuration.NumberOf("rdb-compatibility");

    /// <summary>The oldest Redis that can read all data of now without a loss.</summary>
    public RdbCompatibility NeededLevel
    {
        get
        {
            Keyspace.Keyspace keyspace = _server.Keyspace;
            bool needsNewest = keyspace.Trees.IdempotentRootCount > 0;
            for (int database = 0; database < keyspace.DatabaseCount && !needsNewest; database++)
                needsNewest = keyspace.VolatileFieldsCount(database) > 0;
            return needsNewest ? RdbCompatibility.Redis74 : RdbCompatibility.Redis70;
        }
    }

    /// <summary>Whether long strings are compressed (<c>rdbcompression</c>).</summary>
    public bool IsCompressed => IsOn("rdbcompression");

    /// <summary>How a file is written that is begun now. The caller holds all stripes.</summary>
    /// <param name="nowMs">The instant of its contents, Unix milliseconds.</param>
    /// <param name="isJournalBase">Whether it is the base of an append-only file.</param>
    /// <param name="forLevel">The oldest Redis that is to read it; null: the configured one.</param>
    public RdbFileOptions ForFile(
        long nowMs, bool isJournalBase = false, RdbCompatibility? forLevel = null)
    {
        ConfigurationRegistry configuration = _server.Configuration;
        RdbCompatibility level = forLevel ?? Compatibility;
        return new RdbFileOptions
        {
            Compatibility = level,
            HasProducers = _server.Keyspace.Trees.IdempotentRootCount > 0
                && level >= RdbCompatibility.Redis74,
            IsCompressed = IsCompressed,
            IsChecked = IsOn("rdbchecksum"),
            IsFlushedOnTheWay = IsOn(
                isJournalBase ? "aof-rewrite-incremental-fsync" : "rdb-save-incremental-fsync"),
            Use = UseOf(configuration.TextOf("maxmemory-policy")),
            Frequency = _server.Keyspace.Frequency,
            NowMs = nowMs,
            KeyDelay = _keyDelay,
        };
    }

    /// <summary>An output in memory for payloads.</summary>
    public RdbOutput NewOutput() => new(sink: null, IsCompressed, isChecked: false);

    private bool IsOn(string name) => _server.Configuration.NumberOf(name) != 0;

    private RdbUse UseOf(string policy)
    {
        if (policy.EndsWith("-lfu", StringComparison.Ordinal) && _server.Keyspace.Frequency is not null)
            return RdbUse.Frequency;
        return policy.EndsWith("-lru", StringComparison.Ordinal)
            || policy.EndsWith("-lrm", StringComparison.Ordinal) ? RdbUse.Idle : RdbUse.None;
    }
}

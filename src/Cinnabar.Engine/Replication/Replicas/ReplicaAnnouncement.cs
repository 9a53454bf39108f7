using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>What a replica has told of itself (<c>REPLCONF</c>) before it asks for the stream.</summary>
internal sealed record ReplicaAnnouncement
{
    /// <summary>The port of its clients.</summary>
    public int Port { get; init; }

    /// <summary>Its address; empty: that of its connection.</summary>
    public string Address { get; init; } = "";

    /// <summary>Whether it finds the end of data whose length is not told (<c>capa eof</c>).</summary>
    public bool KnowsEndMarks { get; init; }

    /// <summary>Whether it takes another name of the history (<c>capa psync2</c>).</summary>
    public bool KnowsNewNames { get; init; }

    /// <summary>Its version, major times 256 plus minor; 0: it has told none.</summary>
    public int Version { get; init; }

    /// <summary>What it wants of the data.</summary>
    public PayloadParts Parts { get; init; } = PayloadParts.All;

    /// <summary>Whether it wants the data and no stream (<c>rdb-only</c>).</summary>
    public bool IsDataOnly { get; init; }

    /// <summary>Whether the same snapshot serves another.</summary>
    public bool IsServedWith(ReplicaAnnouncement other) => Parts == other.Parts
        && KnowsEndMarks == other.KnowsEndMarks && LevelMax == other.LevelMax
        && ReadsNewest == other.ReadsNewest;

    /// <summary>The newest format that it is known to read; Valkey tells versions that Redis has too, so
    /// only old ones say something.</summary>
    public RdbCompatibility LevelMax => Version switch
    {
        0 or >= 0x704 => RdbCompatibility.Redis74,
        >= 0x702 => RdbCompatibility.Redis72,
        >= 0x700 => RdbCompatibility.Redis70,
        _ => RdbCompatibility.Redis62,
    };

    /// <summary>Whether it certainly reads the newest format: no other server has these versions.</summary>
    public bool ReadsNewest => Version is >= 0x802 and < 0x900;

    /// <summary>Reads a version; 0: it is none.</summary>
    public static int ParseVersion(ReadOnlySpan<byte> text)
    {
        int dot = text.IndexOf((byte)'.');
        ReadOnlySpan<byte> rest = dot < 0 ? default : text[(dot + 1)..];
        int end = rest.IndexOf((byte)'.');
        return dot > 0 && RedisNumber.TryParseInt64(text[..dot], out long major)
            && RedisNumber.TryParseInt64(end < 0 ? rest : rest[..end], out long minor)
            && major is > 0 and < 128 && minor is >= 0 and < 256 ? (int)((major << 8) | minor) : 0;
    }
}

namespace Cinnabar.Micro;

/// <summary>A sorted set to measure, with the operations of its commands.</summary>
internal interface IScoredSet
{
    /// <summary>Bytes of all blocks.</summary>
    long MemoryBytes { get; }

    /// <summary>ZADD.</summary>
    void Set(byte[] member, double score);

    /// <summary>ZSCORE.</summary>
    double Score(byte[] member);

    /// <summary>ZRANK.</summary>
    long RankOf(byte[] member);

    /// <summary>ZCOUNT, one half of it.</summary>
    long CountUpTo(double score);

    /// <summary>ZRANGE: adds up scores and last bytes from a rank on.</summary>
    double Sum(long rank, int count);

    /// <summary>ZPOPMIN.</summary>
    void RemoveFirst();

    /// <summary>Gives all memory back.</summary>
    void Release();
}

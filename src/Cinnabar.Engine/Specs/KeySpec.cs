namespace Cinnabar.Engine.Specs;

/// <summary>
/// Where some of a command's keys are among its arguments, and what it does to them. Positions count the
/// command's name as 0 (a subcommand's container too).
/// </summary>
public sealed class KeySpec
{
    private readonly byte[] _keyword;
    private readonly int _first;
    private readonly int _second;
    private readonly int _third;

    internal KeySpec(ref SpecTree row)
    {
        Flags = (KeySpecFlags)row.Integer();
        Begin = (KeyBegin)row.Integer();
        BeginPosition = (int)row.Integer();
        _keyword = row.Bulk().ToArray();
        Find = (KeyFind)row.Integer();
        _first = (int)row.Integer();
        _second = (int)row.Integer();
        _third = (int)row.Integer();
    }

    /// <summary>What is done to the keys.</summary>
    public KeySpecFlags Flags { get; }

    /// <summary>How the first key is found.</summary>
    public KeyBegin Begin { get; }

    /// <summary>The first key, or from where on the keyword is searched (negative: from the end).</summary>
    public int BeginPosition { get; }

    /// <summary>The keyword; empty unless <see cref="Begin"/> says Keyword.</summary>
    public ReadOnlySpan<byte> Keyword => _keyword;

    /// <summary>How the further keys are found.</summary>
    public KeyFind Find { get; }

    /// <summary>Range: the last key, from the first one; negative: from the end, which is -1.</summary>
    public int LastKey => Find == KeyFind.Range ? _first : 0;

    /// <summary>The distance from key to key.</summary>
    public int KeyStep => Find == KeyFind.Range ? _second : _third;

    /// <summary>Range up to the end: which part of it are keys (2: half; 0 and 1: all).</summary>
    public int Limit => Find == KeyFind.Range ? _third : 0;

    /// <summary>KeyNum: the index of the number of keys, from the beginning.</summary>
    public int KeyNumIndex => Find == KeyFind.KeyNum ? _first : 0;

    /// <summary>KeyNum: the index of the first key, from the beginning.</summary>
    public int FirstKey => Find == KeyFind.KeyNum ? _second : 0;
}

using Cinnabar.Lua.Compiling;

namespace Cinnabar.Engine.Scripts;

/// <summary>
/// A script that clients know by its digest: compiled, shared by all loops. What has been learned from its
/// runs says how the next one begins; any thread may learn, and what is learned is never wrong, only slower
/// than needed.
/// </summary>
/// <param name="digest">Of its text.</param>
/// <param name="source">Its text.</param>
/// <param name="header">Its first line.</param>
/// <param name="prototype">Its code.</param>
internal sealed class Script(ScriptDigest digest, byte[] source, ScriptHeader header, Prototype prototype)
{
    // So many short runs in a row bring a script that took too long back to the loops: at first few, since
    // the system may have taken the processor away; twice as many each time, since a rerun costs as much as
    // the loop had waited for.
    private const int ShortRunsMin = 2;
    private const int ShortRunsMax = 1024;

    // Objects, the entry of the cache.
    private const int OverheadBytes = 400;

    private readonly byte[] _name = Encoding.ASCII.GetBytes(digest.ToString());
    private volatile bool _needsAllStripes;
    private volatile bool _needsNoUndo;
    private volatile bool _isLong;
    private volatile bool _isCached;
    private int _shortRunsWanted = ShortRunsMin;
    private int _shortRunsLeft;

    /// <summary>The SHA-1 of its text.</summary>
    public ScriptDigest Digest { get; } = digest;

    /// <summary>The text of that.</summary>
    public string Name => Encoding.ASCII.GetString(_name);

    /// <summary>Whether clients find it by its digest.</summary>
    public bool IsCached { get => _isCached; set => _isCached = value; }

    /// <summary>The bytes of that text.</summary>
    public ReadOnlySpan<byte> NameBytes => _name;

    /// <summary>Its text.</summary>
    public byte[] Source { get; } = source;

    /// <summary>What its first line says.</summary>
    public ScriptHeader Header { get; } = header;

    /// <summary>Its code.</summary>
    public Prototype Prototype { get; } = prototype;

    /// <summary>About how many bytes it takes.</summary>
    public long MemoryBytes => OverheadBytes + (4L * Source.Length);

    /// <summary>Whether SCRIPT LOAD has brought it: it stays until SCRIPT FLUSH. Guarded by the
    /// cache.</summary>
    public bool IsPinned { get; set; }

    /// <summary>When it was last used, in monotonic nanoseconds; racy.</summary>
    public long UsedNs { get; set; }

    /// <summary>Whether it has touched a key that it does not declare, in another stripe than those that it
    /// does.</summary>
    public bool NeedsAllStripes => _needsAllStripes;

    /// <summary>Whether it has done what cannot be taken back: it runs off the loops with all stripes, where
    /// nothing makes it run again.</summary>
    public bool NeedsNoUndo => _needsNoUndo;

    /// <summary>Whether it took too long for a loop.</summary>
    public bool IsLong => _isLong || _needsNoUndo;

    /// <summary>Remembers that it needs all stripes.</summary>
    public void LearnAllStripes() => _needsAllStripes = true;

    /// <summary>Remembers that it is too long for a loop.</summary>
    public void LearnLong()
    {
        _shortRunsLeft = _shortRunsWanted;
        _shortRunsWanted = Math.Min(2 * _shortRunsWanted, ShortRunsMax);
        _isLong = true;
    }

    /// <summary>Notes how a run in the slow lane went.</summary>
    /// <param name="isShort">Whether it would have done on a loop.</param>
    public void NoteRun(bool isShort)
    {
        if (!isShort)
            _shortRunsLeft = _shortRunsWanted;
        else if (--_shortRunsLeft <= 0)
            _isLong = false;
    }

    /// <summary>Remembers that it does what cannot be taken back.</summary>
    public void LearnNoUndo()
    {
        // ORDER: whoever sees the second sees the first.
        _needsAllStripes = true;
        _needsNoUndo = true;
    }
}

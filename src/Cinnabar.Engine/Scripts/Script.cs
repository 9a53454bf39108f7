using Cinnabar.Lua.Compiling;

namespace Cinnabar.Engine.Scripts;

/// <summary>A script that clients know by its digest: compiled, shared by all loops.</summary>
/// <param name="digest">Of its text.</param>
/// <param name="source">Its text.</param>
/// <param name="header">Its first line.</param>
/// <param name="prototype">Its code.</param>
internal sealed class Script(ScriptDigest digest, byte[] source, ScriptHeader header, Prototype prototype)
    : Runnable
{
    /// <summary>The name of its code, in errors.</summary>
    public const string ChunkName = "@user_script";

    // Objects, the entry of the cache.
    private const int OverheadBytes = 280;

    private readonly byte[] _name = Encoding.ASCII.GetBytes(digest.ToString());
    private volatile bool _isCached;

    /// <summary>The SHA-1 of its text.</summary>
    public ScriptDigest Digest { get; } = digest;

    /// <summary>Whether clients find it by its digest.</summary>
    public bool IsCached { get => _isCached; set => _isCached = value; }

    /// <summary>The text of that.</summary>
    public ReadOnlySpan<byte> NameBytes => _name;

    /// <summary>Its text.</summary>
    public byte[] Source { get; } = source;

    /// <summary>What its first line says.</summary>
    public ScriptHeader Header { get; } = header;

    /// <inheritdoc/>
    public override string Name => Encoding.ASCII.GetString(_name);

    /// <inheritdoc/>
    public override ScriptFlags Flags => Header.Flags;

    /// <inheritdoc/>
    public override bool HasFlags => Header.IsPresent;

    /// <summary>Its code.</summary>
    public Prototype Prototype { get; } = prototype;

    /// <summary>About how many bytes it takes.</summary>
    public long MemoryBytes => OverheadBytes + Source.Length + Prototype.ByteCount;

    /// <summary>Whether SCRIPT LOAD has brought it: it stays until SCRIPT FLUSH. Guarded by the
    /// cache.</summary>
    public bool IsPinned { get; set; }
}

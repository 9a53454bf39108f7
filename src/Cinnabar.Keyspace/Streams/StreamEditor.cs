using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Streams;

/// <summary>A stream in its entry, to be changed; valid until the entry moves.</summary>
// SAFETY: the payload is the word of a stream's entry in a stripe that the execution has locked.
public readonly unsafe ref struct StreamEditor
{
    private readonly byte* _payload;

    internal StreamEditor(byte* payload, TreeSource trees)
    {
        _payload = payload;
        Trees = trees;
    }

    /// <summary>Where the stream's memory comes from.</summary>
    public TreeSource Trees { get; }

    /// <summary>The stream, in place.</summary>
    public ref StreamTree Stream => ref *(StreamTree*)_payload;
}

using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Goes through the members of a set. Valid until the set changes.</summary>
// SAFETY: the payload is that of a set which is locked, or that a result is built in.
public unsafe ref struct SetEnumerator
{
    private readonly KeyEncoding _encoding;
    private readonly byte* _payload;
    private int _index;
    private ListpackEnumerator _entries;
    private HashFieldEnumerator _fields;

    internal SetEnumerator(byte* payload, KeyEncoding encoding)
    {
        // The state for the other encodings is left uninitialized: a tree's path is large.
        Unsafe.SkipInit(out this);
        _payload = payload;
        _encoding = payload == null ? KeyEncoding.Intset : encoding;
        _index = -1;
        if (payload == null)
            return;
        if (encoding == KeyEncoding.Listpack)
            _entries = new ListpackReader(payload).GetEnumerator();
        else if (encoding == KeyEncoding.HashTable)
            _fields = HashPages.FromAddress(EntryValue.Word(payload, 0)).GetEnumerator();
    }

    /// <summary>The member.</summary>
    public readonly SetMember Current => _encoding switch
    {
        KeyEncoding.HashTable => new SetMember(_fields.Current.Member),
        KeyEncoding.Listpack => SetView.MemberOf(_entries.Current),
        _ => new SetMember(new IntsetReader(_payload)[_index]),
    };

    /// <summary>Goes to the next member; false: there is none.</summary>
    public bool MoveNext() => _encoding switch
    {
        KeyEncoding.HashTable => _fields.MoveNext(),
        KeyEncoding.Listpack => _entries.MoveNext(),
        _ => _payload != null && ++_index < new IntsetReader(_payload).Count,
    };
}

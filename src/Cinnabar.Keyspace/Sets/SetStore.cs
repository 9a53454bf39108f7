// Sets: a small one is an intset or a listpack inside its key's entry, a big one a tree (HashPages), whose
// handle stands there. Commands see views (SetView), editors (SetEditor) and operations on several sets
// (SetAlgebra); none of them shows how a set is stored.
//
// The results of SINTERSTORE and its like are built in a scratch of the store and then become a key's value:
// so the target may be one of the sources, and an error or an empty result leaves nothing behind.
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Sets of an execution's keys. Declares nothing (see
/// <see cref="KeyspaceAccess.Changed(in Key, KeyEvent)"/>).</summary>
// SAFETY: the execution holds the stripes of the keys that it names.
public sealed unsafe class SetStore
{
    private readonly KeyspaceAccess _access;
    private readonly Keyspace _keyspace;
    private DetachedEntry? _scratch;

    /// <summary>Makes the store over an execution's view.</summary>
    public SetStore(KeyspaceAccess access)
    {
        _access = access;
        _keyspace = access.Keyspace;
        Algebra = new SetAlgebra(this, access);
    }

    /// <summary>Operations on several sets.</summary>
    public SetAlgebra Algebra { get; }

    /// <summary>The set of an entry that is a set, or is missing.</summary>
    public SetView View(EntryView entry) => entry.IsMissing
        ? default
        : new SetView(KeyEntry.Value(entry.Entry), entry.Encoding, _keyspace.Trees);

    /// <summary>The set of a slot that is one, to be changed; announces that.</summary>
    public SetEditor Edit(ValueSlot slot)
    {
        Debug.Assert(slot.Type == KeyType.Set, "not a set");
        slot.BeginChange();
        return new SetEditor(new SetMemory(slot, _keyspace));
    }

    /// <summary>Makes a set without members in place of whatever a key has.</summary>
    /// <param name="key">The key.</param>
    /// <param name="first">The first member that will be added.</param>
    /// <param name="count">How many there will be at most.</param>
    public SetEditor Create(scoped in Key key, scoped ReadOnlySpan<byte> first, long count)
    {
        KeyEncoding encoding = SetEditor.Choose(_keyspace.Limits, first, count);
        int size = SetEditor.EmptySize(encoding);
        ValueSlot slot = _access.CreateValue(in key, KeyType.Set, encoding, size);
        var editor = new SetEditor(new SetMemory(slot, _keyspace));
        editor.Initialize();
        return editor;
    }

    /// <summary>Begins a result without members, to be given to <see cref="Store"/> or
    /// <see cref="Discard"/>.</summary>
    public SetEditor NewResult()
    {
        _scratch ??= new DetachedEntry();
        _scratch.Begin(KeyType.Set, KeyEncoding.Intset, SetEditor.EmptySize(KeyEncoding.Intset));
        var editor = new SetEditor(new SetMemory(_scratch, _keyspace));
        editor.Initialize();
        return editor;
    }

    /// <summary>The result that was built last.</summary>
    public SetEditor Result => new(new SetMemory(_scratch!, _keyspace));

    /// <summary>Begins a result that is a snapshot of a tree.</summary>
    internal SetEditor NewResult(SetView tree)
    {
        SetEditor result = NewResult();
        int size = SetEditor.EmptySize(KeyEncoding.HashTable);
        byte* payload = result.Memory.Resize(size, KeyEncoding.HashTable);
        EntryValue.SetWord(payload, 0, tree.Pages.Retain().Address);
        return result;
    }

    /// <summary>Makes the result a key's value, without deadline, in place of whatever it has.</summary>
    public void Store(in Key key)
    {
        DetachedEntry scratch = _scratch!;
        ValueSlot slot = _access.CreateValue(in key, KeyType.Set, scratch.Encoding, scratch.Size);
        Unsafe.CopyBlockUnaligned(slot.Payload, scratch.Payload, (uint)scratch.Size);
    }

    /// <summary>Gives the result up.</summary>
    public void Discard()
    {
        if (_scratch!.Encoding == KeyEncoding.HashTable)
            HashPages.FromAddress(EntryValue.Word(_scratch.Payload, 0)).Release(_keyspace.Trees);
    }
}

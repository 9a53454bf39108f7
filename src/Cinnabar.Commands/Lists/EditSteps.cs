using Cinnabar.Keyspace.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>The steps of a long change of one big list: a copy of the kept list is changed, and the list
/// adopts it. Where the keys are held all the while the list itself is changed.</summary>
internal abstract class EditSteps : StoreSteps
{
    /// <summary>The changed copy.</summary>
    protected DetachedList? Changed { get; set; }

    public sealed override bool TryBuild(Execution execution)
    {
        Debug.Assert(Changed is null, "a copy is changed once");
        EntryView entry = execution.Kept(1);
        // What is small by now, or has expired, is changed in its place.
        bool isBig = !entry.IsMissing && entry.Type == KeyType.List && entry.Encoding != KeyEncoding.Listpack;
        return !execution.IsWithoutKeys || !isBig || TryChange(execution, entry.List);
    }

    public sealed override void Store(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (Changed is null)
        {
            Edit(execution, slot);
            return;
        }

        Debug.Assert(!slot.IsMissing, "what was copied is still there");
        var list = new ListEditor(execution.Keys, execution.Key(1), slot);
        long length = list.Count;
        list.Adopt(Changed);
        ReplyAdopted(execution, ref list, length);
    }

    public sealed override void Drop()
    {
        Changed?.Dispose();
        Changed = null;
    }

    /// <summary>Makes <see cref="Changed"/> of a kept list.</summary>
    /// <returns>False where nothing changes, and that was replied.</returns>
    protected abstract bool TryChange(Execution execution, ListView view);

    /// <summary>Changes the list itself, which may be missing, and replies.</summary>
    protected abstract void Edit(Execution execution, ValueSlot slot);

    /// <summary>Replies what has been adopted.</summary>
    protected abstract void ReplyAdopted(Execution execution, ref ListEditor list, long length);
}

using Cinnabar.Keyspace.Lists;

namespace Cinnabar.Commands.Sorting;

/// <summary>Where SORT stores: the list is made first, of no key, so that the target may be what was
/// sorted.</summary>
internal static class SortTarget
{
    /// <summary>Stores a list under the key that an argument names; takes it over.</summary>
    public static void Store(Execution execution, int storeIndex, DetachedList list)
    {
        Debug.Assert(storeIndex > 0, "there is no destination");
        Key target = execution.HashedKey(storeIndex);
        long count = list.Count;
        if (count > 0)
        {
            // With no slot, the list takes the place of whatever the key has.
            new ListEditor(execution.Keys, target, default).Adopt(list);
            execution.Keys.Changed(in target, KeyEvent.SortStore);
            execution.Keys.CountChanges(count - 1);
        }
        else if (execution.Keys.Remove(in target))
        {
            execution.Keys.Changed(in target, KeyEvent.Deleted);
        }

        list.Dispose();
        execution.Reply.Integer(count);
    }
}

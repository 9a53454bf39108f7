using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Lists;

namespace Cinnabar.Commands.Sorting;

/// <summary>Where SORT stores: the list is made first, of no key, so that the target may be what was sorted,
/// and its key, if none is held meanwhile (<see cref="StoreSteps"/>).</summary>
internal static class SortTarget
{
    /// <summary>Stores a list under the key that an argument names, or lets that be done when the keys are
    /// held again; takes it over.</summary>
    public static void StoreOrReturn(Execution execution, int storeIndex, DetachedList list)
    {
        if (execution.TryReturnBuilt())
            execution.Built = list;
        else
            Store(execution, storeIndex, list);
    }

    /// <summary>Stores what has been built without keys, or drops it.</summary>
    /// <returns>True where the command is over.</returns>
    public static bool TryStoreBuilt(Execution execution, int storeIndex)
    {
        DetachedList list = StoreSteps.Take<DetachedList>(execution);
        bool isOver = StoreSteps.TryTake(execution, firstSource: 1, endSource: 2);
        if (isOver)
            Store(execution, storeIndex, list);
        else
            list.Dispose();
        return isOver;
    }

    private static void Store(Execution execution, int storeIndex, DetachedList list)
    {
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

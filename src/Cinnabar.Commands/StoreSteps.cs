// Commands that store what they make of other keys' values (SUNIONSTORE, ZUNIONSTORE ...), where that takes
// long: who has the keys wait meanwhile? Nobody. In the slow lane the handler keeps the sources' values,
// lets go of all keys and builds the result. Then it is called again, on its loop and with its keys: if each
// source still has the value that was kept, the result is stored, and all of the command has happened at this
// moment. If not, the result is dropped, and the command is done again in the slow lane, holding its keys: so
// it comes to an end however often others write.
//
// Why not let go of the sources only, as early as that is allowed: the target's stripe, a sixteenth of all
// keys, would be held all the while.

using System;

namespace Cinnabar.Commands;

/// <summary>The steps of a command that stores what it makes of other keys' values.</summary>
public static class StoreSteps
{
    /// <summary>Decides where to build, when the sources have been found and kept.</summary>
    /// <returns>False where the handler must return at once; it is called again.</returns>
    public static bool TryBegin(Execution execution, long costNs)
    {
        if (!execution.MustFinishHere)
            return !execution.MustLeaveLoop(costNs);
        execution.ForgetRepeatedLookups();
        // Trees are built: their memory's locks are no place for a thread of a lower rank.
        if (!execution.MustHoldKeys)
            execution.ReleaseKeys(costNs: 0);
        return true;
    }

    /// <summary>Whether the result has been built when the handler is called, and may be stored. Where it has
    /// been and may not it is to be dropped, and the handler goes on as if it were called for the first
    /// time.</summary>
    /// <param name="execution">The execution, whose result <see cref="Execution.IsBuilt"/>.</param>
    /// <param name="firstSource">The argument that is the first source.</param>
    /// <param name="endSource">The argument behind the last.</param>
    public static bool TryTake(Execution execution, int firstSource, int endSource)
    {
        execution.IsBuilt = false;
        for (int index = firstSource; index < endSource; index++)
            execution.MustHoldKeys |= !execution.IsKeptCurrent(index);
        return !execution.MustHoldKeys;
    }

    /// <summary>Takes what a command left in <see cref="Execution.Built"/>, to be stored or disposed
    /// of.</summary>
    internal static T Take<T>(Execution execution) where T : class, IDisposable
    {
        var built = (T)execution.Built!;
        execution.Built = null;
        return built;
    }

    /// <summary>Gives up a result that nobody will store.</summary>
    public static void Drop(Execution execution)
    {
        if (execution.Built is { } built)
            built.Dispose();
        else if (execution.SortedSets.HasBuilt)
            execution.SortedSets.TakeBuilt().Dispose();
        else if (execution.IsBuilt)
            execution.Sets.Discard();
        execution.Built = null;
        execution.IsBuilt = false;
    }
}

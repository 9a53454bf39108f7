// Commands that store what they make of keys' values (SUNIONSTORE, ZUNIONSTORE ...), or change a big value in
// the middle (LREM, LINSERT, ZREMRANGEBY...), where that takes long. No other client waits for the keys
// meanwhile: the values that the command reads are kept (KeptValues), the stripes are released, and the
// result is built without them. Then the stripes are taken again, and if each source still has the value that
// was kept, the result is stored: all of the command happens at this moment. If not, the result is dropped,
// and the steps are made once more while the stripes are held: so the command comes to its end however often
// other clients write.
//
// Why not release the sources only, as early as possible: the target's stripe, a sixteenth of all keys, would
// be held all the while.
namespace Cinnabar.Commands;

/// <summary>
/// The steps of a long command that stores, as its handler hands them over with what it has parsed
/// (<see cref="Execution.StoreLater"/>). The runner makes them in order, and the last two again when a source
/// has changed. Whether the keys are held while it builds, the steps ask
/// <see cref="Execution.IsWithoutKeys"/>.
/// </summary>
public abstract class StoreSteps
{
    /// <summary>Reads what cannot be kept; off the loop, the keys are held.</summary>
    /// <returns>False where the command is over and has replied.</returns>
    public virtual bool TryRead(Execution execution) => true;

    /// <summary>Builds the result, of no key yet; off the loop.</summary>
    /// <returns>False where the command is over and has replied: nothing is to be stored.</returns>
    public abstract bool TryBuild(Execution execution);

    /// <summary>Stores the result, or does all of the command where none has been built; the keys are
    /// held.</summary>
    public abstract void Store(Execution execution);

    /// <summary>Gives up what has been read and built and is not stored.</summary>
    public abstract void Drop();
}

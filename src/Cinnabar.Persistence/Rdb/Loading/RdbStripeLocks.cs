// The locks of the workers that load a file. At the start of a server they take the stripes, each for the
// keys of one block that lie in it. Where an execution holds all stripes and loads (DEBUG RELOAD), the
// workers exclude each other by locks of their own. No worker holds two stripes.

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>The locks that workers of a load take.</summary>
/// <param name="keyspace">The key space.</param>
/// <param name="isHoldingStripes">Whether the caller of the load holds all stripes.</param>
internal sealed class RdbStripeLocks(Keyspace.Keyspace keyspace, bool isHoldingStripes)
{
    private const int SpinCount = 100;

    private readonly Lock[]? _own = isHoldingStripes ? MakeLocks(keyspace.Stripes.Length) : null;

    /// <summary>Takes a stripe; waits for it.</summary>
    public void Enter(Stripe stripe)
    {
        if (_own is not null)
        {
            Debug.Assert(stripe.Lock.IsHeld, "the caller of the load holds all stripes");
            _own[stripe.Index].Enter();
            return;
        }

        for (int count = 0; !stripe.Lock.TryEnterSpinning(SpinCount); count++)
        {
            if (count % SpinCount == SpinCount - 1)
                Thread.Sleep(1);
            else
                Thread.Yield();
        }
    }

    /// <summary>Releases a stripe.</summary>
    public void Exit(Stripe stripe)
    {
        if (_own is not null)
            _own[stripe.Index].Exit();
        else
            stripe.Lock.Exit();
    }

    private static Lock[] MakeLocks(int count)
    {
        var locks = new Lock[count];
        for (int index = 0; index < count; index++)
            locks[index] = new Lock();
        return locks;
    }
}

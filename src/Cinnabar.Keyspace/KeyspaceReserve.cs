// The reserve of a key space is a second set of databases that no client sees, behind the others. A replica
// loads its master's data there while its own are still in use:
//
//   tables of a stripe:   0 … n−1 databases     n … 2n−1 reserve
//                              └──── change places ────┘   at one moment, under all locks
//
// While there are keys in the reserve, no snapshot begins, nothing is evicted, and no key is removed because
// of its deadline.

namespace Cinnabar.Keyspace;

/// <summary>What is done with the reserve of a key space.</summary>
public static class KeyspaceReserve
{
    private const int SpinCount = 100;

    /// <summary>Puts the keys of the reserve in the place of all others, which are cut off; all stripes are
    /// locked.</summary>
    public static void Adopt(KeyspaceAccess access)
    {
        Keyspace keyspace = access.Keyspace;
        // What watches, or waits for, a key hears of one that goes and of one that comes.
        keyspace.Observer?.DatabaseChanging(access, -1, -1);
        foreach (Stripe stripe in keyspace.Stripes)
        {
            for (int database = 0; database < keyspace.DatabaseCount; database++)
            {
                stripe.Detach(database);
                stripe.Swap(database, keyspace.DatabaseCount + database);
            }
        }

        keyspace.Observer?.DatabaseChanging(access, -1, 0);
    }

    /// <summary>Cuts off the keys of the reserve. Takes one stripe after another.</summary>
    public static void Drop(Keyspace keyspace)
    {
        foreach (Stripe stripe in keyspace.Stripes)
        {
            for (int count = 0; !stripe.Lock.TryEnterSpinning(SpinCount); count++)
                Thread.Sleep(count == 0 ? 0 : 1);
            for (int database = 0; database < keyspace.DatabaseCount; database++)
                stripe.Detach(keyspace.DatabaseCount + database);
            stripe.Lock.Exit();
        }
    }
}

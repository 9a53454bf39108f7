using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Executions;

/// <summary>Holds all stripes for work that the server does of its own accord.</summary>
internal static class AllStripes
{
    /// <summary>Runs an action with all stripes, if each can be had within about a microsecond. Waits for
    /// none: while a slow command keeps one, others go on.</summary>
    /// <returns>Whether it was run; else try again later.</returns>
    public static bool TryRun(Keyspace.Keyspace keyspace, Action action)
    {
        int count = 0;
        try
        {
            foreach (Stripe stripe in keyspace.Stripes)
            {
                if (!stripe.Lock.TryEnter() && !stripe.Lock.TryEnterSpinning(LockProtocol.SpinCount))
                    return false;
                count++;
            }

            action();
            return true;
        }
        finally
        {
            foreach (Stripe stripe in keyspace.Stripes[..count])
                stripe.Lock.Exit();
        }
    }
}

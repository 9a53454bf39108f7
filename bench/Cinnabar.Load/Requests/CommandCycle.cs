using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Load.Requests;

/// <summary>
/// The order of a load's commands: a round in which each command comes as often as its weight says, spread
/// evenly, and which begins again when it is over. Fixed, so that the ratio is exact, and so that the n-th
/// reply of a client is known to belong to the n-th command of its round: nothing needs to be kept of a
/// request that was sent.
/// </summary>
internal sealed class CommandCycle
{
    private const long SizeMax = 100_000;
    private readonly byte[] _order;

    /// <summary>The round of commands with these weights.</summary>
    /// <exception cref="LoadException">A weight is wrong, or the round would be too long.</exception>
    public CommandCycle(IReadOnlyList<int> weights)
    {
        if (weights.Count is 0 or > 64) throw new LoadException("a load has 1 to 64 commands");
        if (weights.Any(weight => weight < 0)) throw new LoadException("a ratio is below 0");
        long divisor = weights.Aggregate(0L, (a, b) => GreatestDivisor(a, b));
        long sum = weights.Sum(weight => (long)weight);
        if (sum == 0) throw new LoadException("a ratio is 0 for every command");
        if (sum / divisor > SizeMax) throw new LoadException("a ratio is too fine: use smaller numbers");
        _order = new byte[sum / divisor];
        var credits = new long[weights.Count];
        for (int index = 0; index < _order.Length; index++)
        {
            for (int command = 0; command < credits.Length; command++) credits[command] += weights[command];
            int next = 0;
            for (int command = 1; command < credits.Length; command++)
                if (credits[command] > credits[next]) next = command;
            credits[next] -= sum;
            _order[index] = (byte)next;
        }
    }

    /// <summary>How many commands a round has.</summary>
    public int Size => _order.Length;

    /// <summary>The command at a place, which is below <see cref="Size"/>.</summary>
    public int this[int place] => _order[place];

    private static long GreatestDivisor(long a, long b) => b == 0 ? a : GreatestDivisor(b, a % b);
}

using System;
using Cinnabar.Platform;

namespace Cinnabar.Micro;

/// <summary>Numbered members of 16 bytes, one at a time.</summary>
internal sealed class Members(int count)
{
    private readonly byte[] _member = new byte[16];
    private RandomSource _random = new(7);

    /// <summary>One of the numbers, at random.</summary>
    internal int RandomIndex() => (int)_random.NextBelow((ulong)count);

    /// <summary>A random number between 0 and 1.</summary>
    internal double RandomScore() => _random.NextDouble();

    /// <summary>The member of a number, until the next call.</summary>
    internal byte[] this[int number]
    {
        get
        {
            "member:"u8.CopyTo(_member);
            for (int at = 15; at >= 7; at--, number /= 10) _member[at] = (byte)('0' + number % 10);
            return _member;
        }
    }
}

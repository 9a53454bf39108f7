using System;
using System.Collections.Generic;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support.Files;

/// <summary>What a simulated file has; guarded by its file system.</summary>
internal sealed class SimulatedContent
{
    private const int SectorSize = 64;

    private byte[] _durable = [];

    /// <summary>What a reader sees.</summary>
    internal List<byte> Bytes { get; } = [];

    /// <summary>Makes all of it survive.</summary>
    internal void MakeDurable() => _durable = [.. Bytes];

    /// <summary>What might be left of it.</summary>
    internal byte[] AfterPowerLoss(ref RandomSource random)
    {
        int common = 0;
        while (common < Math.Min(_durable.Length, Bytes.Count) && _durable[common] == Bytes[common])
            common++;
        // A file that was cut or written anew may still have its durable content.
        if (common < _durable.Length && random.NextBelow(2) == 0)
            return _durable;
        int length = common + (int)random.NextBelow((ulong)(Bytes.Count - common) + 1);
        byte[] left = new byte[length];
        Bytes.CopyTo(0, left, 0, Math.Min(common, length));
        bool isInOrder = random.NextBelow(2) == 0;
        for (int start = common; start < length; start += SectorSize)
        {
            if (isInOrder || random.NextBelow(2) == 0)
                Bytes.CopyTo(start, left, start, Math.Min(SectorSize, length - start));
        }

        return left;
    }
}

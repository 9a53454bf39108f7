using System;
using System.Collections.Generic;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support.Files;

/// <summary>What a simulated file has; guarded by its file system.</summary>
internal sealed class SimulatedContent
{
    private const int SectorSize = 64;

    // What a power loss leaves for certain.
    private byte[] _durable = [];

    // Places of bytes that a failed flush has dropped: a system may take them for written, so that no later
    // flush writes them.
    private readonly List<(int Start, int End)> _dropped = [];

    /// <summary>What a reader sees.</summary>
    internal List<byte> Bytes { get; } = [];

    /// <summary>Makes all of it survive, but what was dropped.</summary>
    internal void MakeDurable()
    {
        _durable = [.. Bytes];
        foreach ((int start, int end) in _dropped)
            _durable.AsSpan(start..end).Clear();
    }

    /// <summary>Has a flush fail: what it would have made durable never will be.</summary>
    internal void Drop()
    {
        int start = CommonLength();
        if (start < Bytes.Count)
            _dropped.Add((start, Bytes.Count));
    }

    /// <summary>Cuts it off.</summary>
    internal void Cut(int length)
    {
        Bytes.RemoveRange(length, Bytes.Count - length);
        _dropped.RemoveAll(one => one.Start >= length);
        for (int index = 0; index < _dropped.Count; index++)
            _dropped[index] = (_dropped[index].Start, Math.Min(_dropped[index].End, length));
    }

    /// <summary>The same content for another file system: also what is durable of it.</summary>
    internal SimulatedContent Copy()
    {
        var copy = new SimulatedContent { _durable = _durable };
        copy.Bytes.AddRange(Bytes);
        copy._dropped.AddRange(_dropped);
        return copy;
    }

    /// <summary>What might be left of it.</summary>
    internal byte[] AfterPowerLoss(ref RandomSource random)
    {
        int common = CommonLength();
        // A file that was cut or written anew may still have its durable content.
        if (common < _durable.Length && random.NextBelow(2) == 0)
            return _durable;
        int length = common + (int)random.NextBelow((ulong)(Bytes.Count - common) + 1);
        byte[] left = new byte[length];
        _durable.AsSpan(0, common).CopyTo(left);
        bool isInOrder = random.NextBelow(2) == 0;
        for (int start = common; start < length; start += SectorSize)
        {
            if (isInOrder || random.NextBelow(2) == 0)
                Bytes.CopyTo(start, left, start, Math.Min(SectorSize, length - start));
        }

        return left;
    }

    // How much of the front is on the disk as it was flushed last.
    private int CommonLength()
    {
        int common = 0;
        while (common < Math.Min(_durable.Length, Bytes.Count)
            && (_durable[common] == Bytes[common] || IsDropped(common)))
            common++;
        return common;
    }

    private bool IsDropped(int at) => _dropped.Exists(one => one.Start <= at && at < one.End);
}

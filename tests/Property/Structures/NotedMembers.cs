using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Members of a collection that were loaded ahead at some time, with the notes of that.</summary>
internal sealed unsafe class NotedMembers(TreeSource source)
{
    private const int CountMax = 32;

    // SAFETY: pinned, so that hints may point at them.
    private readonly MemberNote[] _notes = GC.AllocateArray<MemberNote>(CountMax, pinned: true);
    private readonly Dictionary<string, int> _indexes = [];

    /// <summary>Loads members of a collection ahead, instead of those that were.</summary>
    internal void Take(HashPages pages, Func<string> member)
    {
        _indexes.Clear();
        // Fewer where the choices repeat themselves.
        for (int tries = 4 * CountMax; tries > 0 && _indexes.Count < CountMax; tries--)
            _indexes.TryAdd(member(), _indexes.Count);
        pages.LoadAhead([.. _indexes.Keys.Select(HashOf)], _notes);
    }

    /// <summary>One of them.</summary>
    internal string? Any(Draws draws) => _indexes.Count == 0
        ? null : _indexes.Keys.ElementAt(draws.Below(_indexes.Count));

    /// <summary>What is known of a member that may be one of them.</summary>
    internal MemberHint HintOf(string member, bool isHashKnown)
    {
        MemberNote* note = _indexes.TryGetValue(member, out int index)
            ? (MemberNote*)Unsafe.AsPointer(ref _notes[index]) : null;
        return new MemberHint(isHashKnown ? HashOf(member) : 0, note);
    }

    private ulong HashOf(string member) => SipHash.Hash(Encoding.Latin1.GetBytes(member), source.Seed);
}

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Members of a sorted set that were loaded ahead at some time, with a score that they may get, and
/// the notes of that.</summary>
internal sealed unsafe class NotedScores(TreeSource source)
{
    private const int CountMax = 32;

    // SAFETY: pinned, so that hints may point at them.
    private readonly MemberNote[] _notes = GC.AllocateArray<MemberNote>(CountMax, pinned: true);
    private readonly OrderNote[] _places = GC.AllocateArray<OrderNote>(2 * CountMax, pinned: true);
    private readonly Dictionary<string, int> _indexes = [];
    private readonly List<double> _scores = [];

    /// <summary>Loads members ahead, instead of those that were.</summary>
    internal void Take(SortedSetTree set, Func<string> member, Func<double> score)
    {
        _indexes.Clear();
        _scores.Clear();
        // Fewer where the choices repeat themselves.
        for (int tries = 4 * CountMax; tries > 0 && _indexes.Count < CountMax; tries--)
            _indexes.TryAdd(member(), _indexes.Count);
        set.LoadAhead([.. _indexes.Keys.Select(HashOf)], _notes);
        var places = new List<OrderPlace>();
        foreach ((string name, int index) in _indexes)
        {
            byte[] bytes = Encoding.Latin1.GetBytes(name);
            byte[] pinned = GC.AllocateArray<byte>(bytes.Length + 1, pinned: true);
            bytes.CopyTo(pinned, 0);
            var start = (byte*)Unsafe.AsPointer(ref pinned[0]);
            _scores.Add(score());
            places.Add(new OrderPlace(_scores[index], start, bytes.Length, Place(CountMax + index)));
            if (set.TryReadScore(in _notes[index], bytes, out double old))
                places.Add(new OrderPlace(old, start, bytes.Length, Place(index)));
            set.LoadPlacesAhead([.. places]);
            places.Clear();
            GC.KeepAlive(pinned);
        }
    }

    /// <summary>Loads the lowest or highest members ahead.</summary>
    internal void TakeEdge(SortedSetTree set, bool isHighest) =>
        set.LoadEdgeAhead(source, isHighest, _notes);

    /// <summary>What is known of the member that is the next of <see cref="TakeEdge"/> perhaps.</summary>
    internal MemberHint EdgeHint(int index) =>
        new(0, (MemberNote*)Unsafe.AsPointer(ref _notes[index % CountMax]));

    /// <summary>One of the members; null: there are none.</summary>
    internal string? Any(Draws draws) => _indexes.Count == 0
        ? null : _indexes.Keys.ElementAt(draws.Below(_indexes.Count));

    /// <summary>The score that a member was loaded for, or another.</summary>
    internal double ScoreOf(string member, double other) =>
        _indexes.TryGetValue(member, out int index) ? _scores[index] : other;

    /// <summary>What is known of a member that may be one of them.</summary>
    internal ScoreHint HintOf(string member)
    {
        if (!_indexes.TryGetValue(member, out int index)) return default;
        var note = (MemberNote*)Unsafe.AsPointer(ref _notes[index]);
        return new ScoreHint(new MemberHint(HashOf(member), note), Place(index), Place(CountMax + index));
    }

    private OrderNote* Place(int index) => (OrderNote*)Unsafe.AsPointer(ref _places[index]);

    private ulong HashOf(string member) => SipHash.Hash(Encoding.Latin1.GetBytes(member), source.Seed);
}

// A list of glob patterns, compiled: whether one of them matches a text.
//
// Nearly all patterns of access rules are literal but for a star at their end. These prefixes are sorted, and
// every one that begins with another one is dropped. In such a list only the last prefix that is not greater
// than a text can be a prefix of it: everything between a prefix P and a text that begins with P would begin
// with P too. So one binary search decides, whatever the number of rules:
//
//     patterns   user:1:*  user:2:*  user:2:x*  cfg*  a?c
//     common     ""        what all prefixes begin with, compared once
//     heads      "cfg"  "user:1:"  "user:2:"      the next eight bytes, big-endian, as numbers
//     prefixes   cfg    user:1:    user:2:        their texts, compared where heads are equal
//     globs      a?c                              matched one by one
//
// A literal pattern without a star is in a list of its own, found by the same search.
// Limits: patterns with other special characters cost a match each.

using System.Buffers.Binary;
using System.Linq;
using Cinnabar.Resp;

namespace Cinnabar.Security.Keys;

/// <summary>Decides whether one of several patterns matches a text; never changed.</summary>
public sealed class KeyMatcher
{
    private readonly SortedTexts _prefixes;
    private readonly SortedTexts _literals;
    private readonly byte[][] _globs;

    /// <summary>Compiles patterns.</summary>
    /// <param name="patterns">The patterns, one char a byte.</param>
    public KeyMatcher(IEnumerable<string> patterns)
    {
        List<byte[]> prefixes = [];
        List<byte[]> literals = [];
        List<byte[]> globs = [];
        foreach (string pattern in patterns)
        {
            byte[] bytes = Encoding.Latin1.GetBytes(pattern);
            int special = bytes.AsSpan().IndexOfAny("*?[\\"u8);
            if (special < 0)
                literals.Add(bytes);
            else if (special > 0 && special == bytes.Length - 1 && bytes[special] == '*')
                prefixes.Add(bytes[..special]);
            else
                globs.Add(bytes);
        }

        _prefixes = new SortedTexts(prefixes, arePrefixes: true);
        _literals = new SortedTexts(literals, arePrefixes: false);
        _globs = [.. globs];
    }

    /// <summary>Whether a pattern matches.</summary>
    public bool Matches(ReadOnlySpan<byte> text)
    {
        if (_prefixes.Has(text) || _literals.Has(text))
            return true;
        foreach (byte[] glob in _globs)
        {
            if (GlobPattern.Matches(glob, text))
                return true;
        }

        return false;
    }

    private readonly struct SortedTexts
    {
        private readonly bool _arePrefixes;
        private readonly byte[] _common;
        private readonly byte[][] _rests;
        private readonly ulong[] _heads;

        public SortedTexts(List<byte[]> texts, bool arePrefixes)
        {
            _arePrefixes = arePrefixes;
            texts.Sort(static (one, other) => one.AsSpan().SequenceCompareTo(other));
            List<byte[]> kept = [];
            foreach (byte[] text in texts)
            {
                if (kept.Count == 0 || !IsCovered(text, kept[^1]))
                    kept.Add(text);
            }

            _common = kept.Count == 0 ? [] : CommonStart(kept[0], kept[^1]);
            int commonLength = _common.Length;
            _rests = [.. kept.ConvertAll(text => text[commonLength..])];
            _heads = Array.ConvertAll(_rests, static rest => Head(rest));
            Debug.Assert(_heads.SequenceEqual(_heads.Order()), "they are searched in order");
        }

        public bool Has(ReadOnlySpan<byte> text)
        {
            if (_heads.Length == 0)
                return false;
            if (_common.Length > 0)
            {
                if (!text.StartsWith(_common))
                    return false;
                text = text[_common.Length..];
            }

            int index = LastNotGreater(text);
            if (index < 0)
                return false;
            ReadOnlySpan<byte> candidate = _rests[index];
            return _arePrefixes ? text.StartsWith(candidate) : text.SequenceEqual(candidate);
        }

        private bool IsCovered(byte[] text, byte[] before) =>
            _arePrefixes ? text.AsSpan().StartsWith(before) : text.AsSpan().SequenceEqual(before);

        private int LastNotGreater(ReadOnlySpan<byte> text)
        {
            ulong head = Head(text);
            int low = 0;
            int high = _heads.Length;
            while (low < high)
            {
                int middle = (low + high) >>> 1;
                ulong other = _heads[middle];
                bool isGreater = other > head
                    || (other == head && _rests[middle].AsSpan().SequenceCompareTo(text) > 0);
                if (isGreater)
                    high = middle;
                else
                    low = middle + 1;
            }

            return low - 1;
        }

        // Zeros behind a short text: what differs only in them has the same head, and is compared whole.
        private static ulong Head(ReadOnlySpan<byte> text)
        {
            if (text.Length >= sizeof(ulong))
                return BinaryPrimitives.ReadUInt64BigEndian(text);
            ulong head = 0;
            for (int index = 0; index < text.Length; index++)
                head |= (ulong)text[index] << (56 - (8 * index));
            return head;
        }

        private static byte[] CommonStart(byte[] first, byte[] last) =>
            first[..first.AsSpan().CommonPrefixLength(last)];
    }
}

using System.Buffers;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Sorting;

/// <summary>Finds what BY and GET name for an element, and replies or copies it.</summary>
internal readonly struct SortLookup(Execution execution)
{
    /// <summary>For how many elements keys are loaded ahead together.</summary>
    public const int GroupCount = Lookahead.CountMax;

    private const int ShortNameSize = 128;

    /// <summary>Begins to load the keys that a pattern names for some elements.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="elements">Elements.</param>
    /// <param name="indexes">Which of them, up to <see cref="GroupCount"/>.</param>
    /// <param name="hashes">Receives the hashes of the keys with short names; 0 for the others.</param>
    public void LoadAhead(
        in KeyPattern pattern, in ByteStrings elements, ReadOnlySpan<int> indexes, Span<ulong> hashes)
    {
        Debug.Assert(hashes.Length >= indexes.Length, "an element has no place for its hash");
        hashes.Clear();
        if (!pattern.HasStar || indexes.Length < 2)
            return;
        Span<byte> scratch = stackalloc byte[ShortNameSize];
        for (int at = 0; at < indexes.Length; at++)
        {
            ReadOnlySpan<byte> element = elements[indexes[at]];
            int length = pattern.KeyLength(element.Length);
            if (length > ShortNameSize)
                continue;
            pattern.WriteKey(execution, element, scratch);
            hashes[at] = execution.Keys.Keyspace.Hash(scratch[..length]);
        }

        execution.Keys.LoadAhead(hashes[..indexes.Length]);
    }

    /// <summary>Reads the number that a pattern names for an element; 0 where there is none.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="element">The element.</param>
    /// <param name="hash">The key's hash; 0: not known.</param>
    /// <param name="number">The number.</param>
    /// <returns>False where it is no number.</returns>
    public bool TryNumber(in KeyPattern pattern, ReadOnlySpan<byte> element, ulong hash, out double number)
    {
        number = 0;
        if (pattern.IsElement)
            return SortKeys.TryParse(element, out number);
        EntryView entry = Find(in pattern, element, hash);
        if (entry.IsMissing)
            return true;
        if (pattern.HasField)
        {
            HashView fields = HashStore.View(execution.Keys, entry);
            return !fields.TryGet(pattern.Field(execution), out FieldText value)
                || TryParse(in value, out number);
        }

        if (entry.Encoding == KeyEncoding.Blocks)
            return TryParse(entry.String, out number);
        if (entry.Encoding != KeyEncoding.Int)
            return SortKeys.TryParse(entry.InlineBytes, out number);
        number = entry.Integer;
        return true;
    }

    private static bool TryParse(in FieldText text, out double number)
    {
        number = text.Integer;
        return text.IsInteger || SortKeys.TryParse(text.Bytes, out number);
    }

    private static bool TryParse(StringView text, out double number)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent((int)text.Length);
        Span<byte> bytes = rented.AsSpan(0, (int)text.Length);
        text.CopyTo(0, bytes);
        bool isNumber = SortKeys.TryParse(bytes, out number);
        ArrayPool<byte>.Shared.Return(rented);
        return isNumber;
    }

    /// <summary>Replies what a pattern names for an element; null where there is none.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="element">The element.</param>
    /// <param name="hash">The key's hash; 0: not known.</param>
    public void Reply(in KeyPattern pattern, ReadOnlySpan<byte> element, ulong hash)
    {
        if (pattern.IsElement)
        {
            execution.Reply.Bulk(element);
            return;
        }

        EntryView entry = Find(in pattern, element, hash);
        if (entry.IsMissing)
        {
            execution.Reply.Null();
        }
        else if (!pattern.HasField)
        {
            execution.ReplyString(entry);
        }
        else if (HashStore.View(execution.Keys, entry).TryGet(pattern.Field(execution), out FieldText value))
        {
            Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
            execution.Reply.Bulk(value.AsText(scratch));
        }
        else
        {
            execution.Reply.Null();
        }
    }

    /// <summary>Appends what a pattern names for an element to strings; that it is missing, where there is
    /// none.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="element">The element.</param>
    /// <param name="hash">The key's hash; 0: not known.</param>
    /// <param name="lengthMax">The longest value of a key to be copied, in bytes.</param>
    /// <param name="target">The strings.</param>
    /// <returns>False, and nothing appended, where it is longer.</returns>
    public bool TryCopy(in KeyPattern pattern, ReadOnlySpan<byte> element, ulong hash, long lengthMax,
        ref ByteStrings target)
    {
        if (pattern.IsElement)
        {
            target.Add(element);
            return true;
        }

        EntryView entry = Find(in pattern, element, hash);
        if (entry.IsMissing)
        {
            target.AddMissing();
        }
        else if (!pattern.HasField)
        {
            StringView text = entry.String;
            if (text.Length > lengthMax)
                return false;
            text.CopyTo(0, target.Add((int)text.Length));
        }
        else if (HashStore.View(execution.Keys, entry).TryGet(pattern.Field(execution), out FieldText value))
        {
            Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
            target.Add(value.AsText(scratch));
        }
        else
        {
            target.AddMissing();
        }

        return true;
    }

    // The entry that a pattern names, if it has the type that the pattern asks for.
    private EntryView Find(in KeyPattern pattern, ReadOnlySpan<byte> element, ulong hash)
    {
        if (!pattern.HasStar)
            return default;
        int length = pattern.KeyLength(element.Length);
        byte[]? rented = length > ShortNameSize ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> name = rented ?? stackalloc byte[ShortNameSize];
        name = name[..length];
        pattern.WriteKey(execution, element, name);
        if (pattern.HasField
            && (!execution.Keys.Keyspace.IsActiveExpiryEnabled || execution.Effects.IsRecording))
            HashStore.RemoveIfDue(execution.Keys, name, pattern.Field(execution));
        EntryView entry = execution.Keys.FindNamed(
            name, hash != 0 ? hash : execution.Keys.Keyspace.Hash(name));
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
        KeyType type = pattern.HasField ? KeyType.Hash : KeyType.String;
        return !entry.IsMissing && entry.Type == type ? entry : default;
    }
}

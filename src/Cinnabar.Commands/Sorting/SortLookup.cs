using System;
using System.Buffers;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Sorting;

/// <summary>Finds what BY and GET name for an element, and replies or copies it.</summary>
internal readonly struct SortLookup(Execution execution)
{
    private const int ShortNameSize = 256;

    /// <summary>Replies what a pattern names for an element; null where there is none.</summary>
    public void Reply(in KeyPattern pattern, ReadOnlySpan<byte> element)
    {
        if (pattern.IsElement)
        {
            execution.Reply.Bulk(element);
            return;
        }

        EntryView entry = Find(in pattern, element);
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

    /// <summary>Appends what a pattern names for an element to strings.</summary>
    /// <returns>False, and nothing appended, where there is none.</returns>
    public bool TryCopy(in KeyPattern pattern, ReadOnlySpan<byte> element, ref ByteStrings target)
    {
        if (pattern.IsElement)
        {
            target.Add(element);
            return true;
        }

        EntryView entry = Find(in pattern, element);
        if (entry.IsMissing)
            return false;
        if (!pattern.HasField)
        {
            StringView text = entry.String;
            text.CopyTo(0, target.Add((int)text.Length));
            return true;
        }

        if (!HashStore.View(execution.Keys, entry).TryGet(pattern.Field(execution), out FieldText value))
            return false;
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        target.Add(value.AsText(scratch));
        return true;
    }

    // The entry that a pattern names, if it has the type that the pattern asks for.
    private EntryView Find(in KeyPattern pattern, ReadOnlySpan<byte> element)
    {
        if (!pattern.HasStar)
            return default;
        int length = pattern.KeyLength(element.Length);
        byte[]? rented = length > ShortNameSize ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> name = rented ?? stackalloc byte[ShortNameSize];
        name = name[..length];
        pattern.WriteKey(execution, element, name);
        if (pattern.HasField && !execution.Keys.Keyspace.IsActiveExpiryEnabled)
            execution.Keys.RemoveFieldIfDue(name, pattern.Field(execution));
        EntryView entry = execution.Keys.FindNamed(name);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
        KeyType type = pattern.HasField ? KeyType.Hash : KeyType.String;
        return !entry.IsMissing && entry.Type == type ? entry : default;
    }
}

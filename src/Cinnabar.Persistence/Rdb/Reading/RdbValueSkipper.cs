// Walks over a value without decoding it: only counts and lengths are looked at. So it finds the end of a
// key for the loader, which reads entries on many threads, and for the checking tool.
//
//   stream         nodes: count, (ID of 16 bytes, listpack)*; length; last ID
//     2 and later  first ID; highest deleted ID; entries added
//     then         groups: count, (name; last ID; [2: entries read]; pending: count,
//                  (16 bytes, time, deliveries)*; consumers: count,
//                  (name; time; [3: time]; count, (16 bytes)*)*)*
//     4            seconds; IDs a producer; producers: count, (name; count, (ID; entry's ID)*)*;
//                  entries added so; IDs that came again
//
// IDs are two lengths where they are not 16 bytes.

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Finds the end of a value.</summary>
public static class RdbValueSkipper
{
    private const int IdSize = 16;
    private const ulong ModuleEnd = 0;
    private const ulong ModuleSigned = 1;
    private const ulong ModuleUnsigned = 2;
    private const ulong ModuleFloat = 3;
    private const ulong ModuleDouble = 4;
    private const ulong ModuleString = 5;

    /// <summary>Reads past a value.</summary>
    /// <exception cref="RdbEndException">It does not end within these bytes.</exception>
    /// <exception cref="RdbFormatException">No value of this type can be so.</exception>
    public static void Skip(ref RdbCursor cursor, RdbType type)
    {
        switch (type)
        {
            case RdbType.List or RdbType.Set or RdbType.ListQuicklist:
                SkipStrings(ref cursor, 1);
                break;
            case RdbType.Hash:
                SkipStrings(ref cursor, 2);
                break;
            case RdbType.SortedSet or RdbType.SortedSet2:
                SkipScored(ref cursor, isText: type == RdbType.SortedSet);
                break;
            case RdbType.ListQuicklist2:
                SkipNodes(ref cursor);
                break;
            case RdbType.HashMetadata or RdbType.HashMetadataPreGa or RdbType.ValkeyHash2:
                SkipDatedFields(ref cursor, type);
                break;
            case RdbType.HashListpackEx:
                cursor.ReadInt64();
                cursor.SkipString();
                break;
            case RdbType.StreamListpacks or RdbType.StreamListpacks2 or RdbType.StreamListpacks3
                or RdbType.StreamListpacks4:
                SkipStream(ref cursor, type);
                break;
            case RdbType.Module2:
                cursor.ReadLength();
                SkipModuleParts(ref cursor);
                break;
            case RdbType.ModulePreGa:
                throw new RdbFormatException(cursor.Offset, "A module's value of an unreleased version");
            default:
                cursor.SkipString();
                break;
        }
    }

    /// <summary>Reads past the parts of a module's value, behind its ID; so ends a module's data that belongs
    /// to no key, too.</summary>
    public static void SkipModuleParts(ref RdbCursor cursor)
    {
        while (true)
        {
            long at = cursor.Offset;
            switch (cursor.ReadLength())
            {
                case ModuleEnd:
                    return;
                case ModuleSigned or ModuleUnsigned:
                    cursor.ReadLength();
                    break;
                case ModuleFloat:
                    cursor.ReadBytes(sizeof(float));
                    break;
                case ModuleDouble:
                    cursor.ReadBytes(sizeof(double));
                    break;
                case ModuleString:
                    cursor.SkipString();
                    break;
                default:
                    throw new RdbFormatException(at, "Unknown part of a module's value");
            }
        }
    }

    /// <summary>Reads past the metadata of a key (<see cref="RdbOpcode.KeyMetadata"/>), behind the
    /// opcode.</summary>
    public static void SkipKeyMetadata(ref RdbCursor cursor)
    {
        for (long count = cursor.ReadCountOrZero(sizeof(int) + 1); count > 0; count--)
        {
            cursor.ReadInt32();
            SkipModuleParts(ref cursor);
        }
    }

    private static void SkipStrings(ref RdbCursor cursor, int stringsPerElement)
    {
        // A count of zero is for the loader to refuse.
        for (long left = cursor.ReadCountOrZero(stringsPerElement) * stringsPerElement; left > 0; left--)
            cursor.SkipString();
    }

    private static void SkipScored(ref RdbCursor cursor, bool isText)
    {
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
        {
            cursor.SkipString();
            if (isText)
                cursor.ReadTextDouble();
            else
                cursor.ReadBinaryDouble();
        }
    }

    private static void SkipNodes(ref RdbCursor cursor)
    {
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
        {
            cursor.ReadLength();
            cursor.SkipString();
        }
    }

    private static void SkipDatedFields(ref RdbCursor cursor, RdbType type)
    {
        if (type == RdbType.HashMetadata)
            cursor.ReadInt64();
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
        {
            if (type != RdbType.ValkeyHash2)
                cursor.ReadLength();
            cursor.SkipString();
            cursor.SkipString();
            if (type == RdbType.ValkeyHash2)
                cursor.ReadInt64();
        }
    }

    private static void SkipStream(ref RdbCursor cursor, RdbType type)
    {
        const int LengthAndId = 3;
        const int FirstDeletedAndAdded = 5;
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
        {
            cursor.SkipString();
            cursor.SkipString();
        }

        SkipLengths(ref cursor, LengthAndId);
        if (type != RdbType.StreamListpacks)
            SkipLengths(ref cursor, FirstDeletedAndAdded);
        for (long left = cursor.ReadCountOrZero(1); left > 0; left--)
            SkipGroup(ref cursor, type);
        if (type == RdbType.StreamListpacks4)
            SkipProducers(ref cursor);
    }

    private static void SkipGroup(ref RdbCursor cursor, RdbType type)
    {
        cursor.SkipString();
        SkipLengths(ref cursor, type == RdbType.StreamListpacks ? 2 : 3);
        for (long left = cursor.ReadCountOrZero(IdSize + sizeof(long) + 1); left > 0; left--)
        {
            cursor.ReadBytes(IdSize + sizeof(long));
            cursor.ReadLength();
        }

        bool hasActivity = type is RdbType.StreamListpacks3 or RdbType.StreamListpacks4;
        for (long left = cursor.ReadCountOrZero(1); left > 0; left--)
        {
            cursor.SkipString();
            cursor.ReadInt64();
            if (hasActivity)
                cursor.ReadInt64();
            long owned = cursor.ReadCountOrZero(IdSize);
            cursor.ReadBytes((ulong)owned * IdSize);
        }
    }

    private static void SkipProducers(ref RdbCursor cursor)
    {
        SkipLengths(ref cursor, 2);
        for (long producers = cursor.ReadCountOrZero(2); producers > 0; producers--)
        {
            cursor.SkipString();
            for (long left = cursor.ReadCountOrZero(3); left > 0; left--)
            {
                cursor.SkipString();
                SkipLengths(ref cursor, 2);
            }
        }

        SkipLengths(ref cursor, 2);
    }

    private static void SkipLengths(ref RdbCursor cursor, int count)
    {
        for (; count > 0; count--)
            cursor.ReadLength();
    }
}

// Values as Redis writes them. What is stored as Redis stores it (listpacks, intsets, pages of lists and
// streams) is written as the bytes that it is; the rest is a count and strings. Which of the two depends on
// the level too: a form that a version does not know is written as one that every version knows.
//
//                    6.2               7.0                7.2               7.4
//   list             List              ListQuicklist2     =                 =
//   set, listpack    Set               Set                SetListpack       =
//   hash, listpack   Hash              HashListpack       =                 =
//   fields' deadlines: refused         refused            refused           HashListpackEx, HashMetadata
//   zset, listpack   SortedSet2        SortedSetListpack  =                 =
//   stream           StreamListpacks   StreamListpacks2   StreamListpacks3  =, with producers ...4
//
// For Redis 6.2 nothing is written as a ziplist: the plain forms load there as well, into ziplists.
using Cinnabar.Keyspace.Dumps;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes values.</summary>
public static class RdbValueWriter
{
    /// <summary>The form in which a value is written.</summary>
    /// <exception cref="RdbInexpressibleException">The level has no form for this value.</exception>
    public static RdbType TypeOf(EntryView entry, RdbCompatibility level)
    {
        Debug.Assert(!entry.IsMissing, "there is no value");
        bool hasListpacks = level >= RdbCompatibility.Redis70;
        return entry.Type switch
        {
            KeyType.String => RdbType.String,
            KeyType.List => hasListpacks ? RdbType.ListQuicklist2 : RdbType.List,
            KeyType.Set => entry.Encoding switch
            {
                KeyEncoding.Intset => RdbType.SetIntset,
                KeyEncoding.Listpack when level >= RdbCompatibility.Redis72 => RdbType.SetListpack,
                _ => RdbType.Set,
            },
            KeyType.SortedSet => entry.Encoding == KeyEncoding.Listpack && hasListpacks
                ? RdbType.SortedSetListpack
                : RdbType.SortedSet2,
            KeyType.Hash => HashTypeOf(entry, level),
            _ => StreamTypeOf(entry, level),
        };
    }

    /// <summary>Writes a value, without its type.</summary>
    /// <param name="output">Receives it.</param>
    /// <param name="entry">The value; it must not change meanwhile.</param>
    /// <param name="type">What <see cref="TypeOf"/> has said.</param>
    public static void Write(RdbOutput output, EntryView entry, RdbType type)
    {
        switch (type)
        {
            case RdbType.String:
                output.WriteStringOf(entry);
                break;
            case RdbType.List:
                RdbListWriter.WriteElements(output, entry);
                break;
            case RdbType.ListQuicklist2:
                RdbListWriter.WritePages(output, entry);
                break;
            case RdbType.SetIntset:
                output.WriteString(StoredForm.Intset(entry));
                break;
            case RdbType.SetListpack or RdbType.HashListpack or RdbType.SortedSetListpack:
                output.WriteString(StoredForm.Listpack(entry));
                break;
            case RdbType.Set:
                WriteSet(output, entry);
                break;
            case RdbType.SortedSet2:
                WriteSortedSet(output, entry);
                break;
            case RdbType.Hash or RdbType.HashListpackEx or RdbType.HashMetadata:
                WriteHash(output, entry, type);
                break;
            default:
                RdbStreamWriter.Write(output, StreamStore.Of(entry), type);
                break;
        }
    }

    private static RdbType HashTypeOf(EntryView entry, RdbCompatibility level)
    {
        if (StoredForm.FirstFieldDeadlineMs(entry) >= 0)
        {
            if (level < RdbCompatibility.Redis74)
                throw new RdbInexpressibleException(entry.Key, "deadlines of fields", level);
            return entry.Encoding == KeyEncoding.ListpackEx ? RdbType.HashListpackEx : RdbType.HashMetadata;
        }

        return entry.Encoding == KeyEncoding.Listpack && level >= RdbCompatibility.Redis70
            ? RdbType.HashListpack
            : RdbType.Hash;
    }

    private static RdbType StreamTypeOf(EntryView entry, RdbCompatibility level)
    {
        if (StreamProducers.AreUsed(StreamStore.Of(entry)))
        {
            return level >= RdbCompatibility.Redis74
                ? RdbType.StreamListpacks4
                : throw new RdbInexpressibleException(entry.Key, "idempotent producers", level);
        }

        return level switch
        {
            RdbCompatibility.Redis62 => RdbType.StreamListpacks,
            RdbCompatibility.Redis70 => RdbType.StreamListpacks2,
            _ => RdbType.StreamListpacks3,
        };
    }

    private static void WriteSet(RdbOutput output, EntryView entry)
    {
        output.WriteLength((ulong)ValueSize.Of(entry));
        SetEnumerator members = StoredForm.Members(entry);
        while (members.MoveNext())
        {
            SetMember member = members.Current;
            if (member.IsInteger)
                output.WriteInteger(member.Integer);
            else
                output.WriteString(member.Text);
        }
    }

    // From the highest member down: so each one that Redis loads is the first of its list.
    private static void WriteSortedSet(RdbOutput output, EntryView entry)
    {
        output.WriteLength((ulong)ValueSize.Of(entry));
        SortedSetWalk members = StoredForm.FromTail(entry);
        while (members.MoveNext())
        {
            output.WriteString(members.Member);
            output.WriteDouble(members.Score);
        }
    }

    // HashListpackEx: earliest deadline | listpack. HashMetadata: earliest deadline | count | for each field
    // how much later its deadline is, plus 1 (0: none) | field | value. Hash: count | fields and values.
    private static void WriteHash(RdbOutput output, EntryView entry, RdbType type)
    {
        long firstMs = StoredForm.FirstFieldDeadlineMs(entry);
        if (type != RdbType.Hash)
            output.WriteWord((ulong)firstMs);
        if (type == RdbType.HashListpackEx)
        {
            output.WriteString(StoredForm.Listpack(entry));
            return;
        }

        output.WriteLength((ulong)ValueSize.Of(entry));
        FieldEnumerator fields = StoredForm.Fields(entry);
        while (fields.MoveNext())
        {
            FieldView field = fields.Current;
            if (type == RdbType.HashMetadata)
                output.WriteLength(field.DeadlineMs < 0 ? 0 : (ulong)(field.DeadlineMs - firstMs) + 1);
            WriteText(output, field.Name);
            WriteText(output, field.Value);
        }
    }

    private static void WriteText(RdbOutput output, FieldText text)
    {
        if (text.IsInteger)
            output.WriteInteger(text.Integer);
        else
            output.WriteString(text.Bytes);
    }
}

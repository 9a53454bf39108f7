// DEBUG DIGEST and DIGEST-VALUE: 20 bytes that are equal for equal data, in this server and in redis-server;
// Redis's test suites compare them before and after operations that must not change data.
//
// Two operations, both on SHA-1: "xor" adds a text so that the order does not matter, "mix" so that it does.
// Items of lists and streams are mixed in their order; members of sets are xored; scores and values are mixed
// with their member or field, and the result is xored. Keys are xored. Of a deadline only its existence
// counts, not its time.
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Engine.Debugging;

/// <summary>A digest of data; of unordered data it does not depend on the order.</summary>
internal sealed class DataDigest
{
    private readonly byte[] _bytes = new byte[BlockHash.Sha1Size];

    private DataDigest()
    {
    }

    /// <summary>As 40 hexadecimal digits.</summary>
    public byte[] Text => Encoding.ASCII.GetBytes(Convert.ToHexStringLower(_bytes));

    /// <summary>Of all databases; all stripes are locked.</summary>
    public static DataDigest OfAll(SessionExecution execution)
    {
        var digest = new DataDigest();
        int selected = execution.Keys.Database;
        for (int database = 0; database < execution.Keys.Keyspace.DatabaseCount; database++)
        {
            if (execution.Keys.Keyspace.Count(database) == 0)
                continue;
            digest.Mix([0, 0, (byte)(database >> 8), (byte)database]);
            execution.Keys.Database = database;
            var visitor = new KeyVisitor(execution, digest);
            KeyScan.Visit(execution.Keys, 0, 0, ref visitor);
        }

        execution.Keys.Database = selected;
        return digest;
    }

    /// <summary>Of one value; all zeros for a missing one.</summary>
    public static DataDigest OfValue(SessionExecution execution, EntryView entry)
    {
        var digest = new DataDigest();
        if (!entry.IsMissing)
            digest.AddValue(execution, entry);
        return digest;
    }

    private void AddValue(SessionExecution execution, EntryView entry)
    {
        Mix([0, 0, 0, (byte)entry.Type]);
        if (entry.Type == KeyType.String)
        {
            MixString(entry);
        }
        else
        {
            bool isOrdered = entry.Type is KeyType.List or KeyType.Stream;
            var visitor = new PartVisitor(this, isOrdered ? this : new DataDigest(), entry.Type);
            ValueParts.Visit(execution, entry, ref visitor);
        }

        if (entry.DeadlineMs >= 0)
            Xor("!!expire!!"u8);
    }

    private void Xor(ReadOnlySpan<byte> text)
    {
        Span<byte> hash = stackalloc byte[BlockHash.Sha1Size];
        BlockHash.Sha1(text, hash);
        XorHash(hash);
    }

    private void Mix(ReadOnlySpan<byte> text)
    {
        Xor(text);
        BlockHash.Sha1(_bytes, _bytes);
    }

    private void MixString(EntryView entry)
    {
        StringView text = entry.String;
        BlockHash hash = BlockHash.Sha1();
        for (long offset = 0; offset < text.Length;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(offset);
            hash.Append(piece);
            offset += piece.Length;
        }

        Span<byte> bytes = stackalloc byte[BlockHash.Sha1Size];
        hash.Finish(bytes);
        XorHash(bytes);
        BlockHash.Sha1(_bytes, _bytes);
    }

    private void XorHash(ReadOnlySpan<byte> hash)
    {
        for (int index = 0; index < _bytes.Length; index++)
            _bytes[index] ^= hash[index];
    }

    private readonly struct KeyVisitor(SessionExecution execution, DataDigest all) : IKeyVisitor
    {
        public void Visit(EntryView entry)
        {
            var digest = new DataDigest();
            digest.Mix(entry.Key);
            digest.AddValue(execution, entry);
            all.Xor(digest._bytes);
        }
    }

    private readonly struct PartVisitor(DataDigest value, DataDigest item, KeyType type) : IValueVisitor
    {
        public void VisitPart(ReadOnlySpan<byte> part)
        {
            if (type == KeyType.Set)
                value.Xor(part);
            else
                item.Mix(part);
        }

        public void EndItem()
        {
            if (ReferenceEquals(value, item) || type == KeyType.Set)
                return;
            value.Xor(item._bytes);
            Array.Clear(item._bytes);
        }
    }
}

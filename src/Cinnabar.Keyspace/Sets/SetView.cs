using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Sets;

/// <summary>
/// A set, to be read, however it is stored; a missing one is empty. Made by <see cref="SetStore.View"/>;
/// valid until the set changes.
/// </summary>
// SAFETY: the payload is that of a set which is locked, or that a result is built in.
public readonly unsafe ref struct SetView
{
    private readonly byte* _payload;
    private readonly KeyEncoding _encoding;
    private readonly TreeSource _trees;

    internal SetView(byte* payload, KeyEncoding encoding, TreeSource trees)
    {
        _payload = payload;
        _encoding = encoding;
        _trees = trees;
    }

    /// <summary>Whether there is no such key.</summary>
    public bool IsMissing => _payload == null;

    /// <summary>Whether the members are in a tree, where they are found fast.</summary>
    public bool IsTree => _payload != null && _encoding == KeyEncoding.HashTable;

    /// <summary>Number of members.</summary>
    public long Count
    {
        get
        {
            if (_payload == null)
                return 0;
            return _encoding switch
            {
                KeyEncoding.HashTable => Pages.Count,
                KeyEncoding.Listpack => new ListpackReader(_payload).Count,
                _ => new IntsetReader(_payload).Count,
            };
        }
    }

    internal byte* Payload => _payload;

    internal KeyEncoding Encoding => _encoding;

    internal HashPages Pages => HashPages.FromAddress(EntryValue.Word(_payload, 0));

    internal TreeSource Trees => _trees;

    /// <summary>Whether these bytes are a member.</summary>
    public bool Contains(ReadOnlySpan<byte> member, MemberHint hint = default)
    {
        if (_payload == null)
            return false;
        if (_encoding == KeyEncoding.HashTable)
            return Pages.Contains(_trees, member, hint);
        if (_encoding == KeyEncoding.Listpack)
        {
            var reader = new ListpackReader(_payload);
            return reader.Find(member, reader.First) != 0;
        }

        return RedisNumber.TryParseInt64(member, out long integer)
            && new IntsetReader(_payload).Contains(integer);
    }

    /// <summary>Whether a member of another set is one of this.</summary>
    [SkipLocalsInit]
    public bool Contains(in SetMember member)
    {
        if (!member.IsInteger)
            return Contains(member.Text);
        if (_payload != null && _encoding == KeyEncoding.Intset)
            return new IntsetReader(_payload).Contains(member.Integer);
        return Contains(member.AsText(stackalloc byte[SetMember.ScratchSize]));
    }

    /// <summary>For <c>foreach</c> over all members.</summary>
    public SetEnumerator GetEnumerator() => new(_payload, _encoding);

    /// <summary>Shows all members.</summary>
    public void VisitAll<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor, allows ref struct
    {
        foreach (SetMember member in this)
            visitor.Visit(in member);
    }

    /// <summary>
    /// Shows the members from a cursor on, about as many as asked for; a set that is no tree shows all at
    /// once, whatever the cursor.
    /// </summary>
    /// <returns>The cursor to go on with, below 2^63; 0 at the end.</returns>
    public ulong Scan<TVisitor>(ulong cursor, long countMin, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor
    {
        if (!IsTree)
        {
            VisitAll(ref visitor);
            return 0;
        }

        // A cursor is the hash to go on from without its lowest bit, so that clients that read cursors as
        // signed numbers can. Two hashes that differ in that bit only are therefore shown together.
        var fields = new FieldVisitor<TVisitor>(ref visitor);
        ulong next = cursor << 1;
        do
        {
            next = Pages.Scan(_trees, next, countMin, ref fields);
        }
        while (next != 0 && next >> 1 == (cursor & (ulong.MaxValue >> 1)));
        return next >> 1;
    }

    /// <summary>A member, each equally likely; there must be one.</summary>
    public SetMember Pick(ref RandomSource random)
    {
        switch (_encoding)
        {
            case KeyEncoding.HashTable:
                HashPages pages = Pages;
                return new SetMember(pages.At((long)random.NextBelow((ulong)pages.Count)).Member);
            case KeyEncoding.Listpack:
                var reader = new ListpackReader(_payload);
                return MemberOf(reader[ListpackPicks.Pick(reader, 1, ref random)]);
            default:
                return new SetMember(new IntsetReader(_payload).Pick(ref random));
        }
    }

    internal static SetMember MemberOf(ListpackValue value) =>
        value.IsInteger ? new SetMember(value.Integer) : new SetMember(value.Text);

    /// <summary>Shows the members that are fields of a tree.</summary>
    internal readonly ref struct FieldVisitor<TVisitor>(ref TVisitor visitor) : IFieldVisitor
        where TVisitor : struct, ISetVisitor
    {
        private readonly ref TVisitor _visitor = ref visitor;

        /// <inheritdoc/>
        public void Visit(in HashField field) => _visitor.Visit(new SetMember(field.Member));
    }
}

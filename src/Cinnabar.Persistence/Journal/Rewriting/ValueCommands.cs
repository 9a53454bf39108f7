// A key as the commands that make it:
//
//   string      SET
//   list        RPUSH, 64 elements a command
//   set         SADD, 64 members a command
//   sorted set  ZADD, 64 members a command
//   hash        HMSET, 64 fields a command; HPEXPIREAT for each field with a deadline
//   stream      StreamCommands
//   deadline    PEXPIREAT
//
// They are those of Redis's rewrite, so that every version that knows the type reads them.

using Cinnabar.Keyspace.Dumps;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Journal.Rewriting;

/// <summary>Writes keys as commands.</summary>
/// <param name="output">Takes the commands.</param>
/// <param name="level">The oldest Redis that is to read them.</param>
internal sealed class ValueCommands(CommandOutput output, RdbCompatibility level)
{
    private readonly CommandOutput _output = output;
    private readonly RdbCompatibility _level = level;

    /// <summary>Writes a key with its value.</summary>
    /// <param name="entry">With its name; must not change meanwhile.</param>
    /// <exception cref="RdbInexpressibleException">The level has no commands for the value; nothing was
    /// written.</exception>
    internal void Write(EntryView entry)
    {
        switch (entry.Type)
        {
            case KeyType.String:
                WriteString(entry);
                break;
            case KeyType.List:
                WriteList(entry);
                break;
            case KeyType.Set:
                WriteSet(entry);
                break;
            case KeyType.SortedSet:
                WriteSortedSet(entry);
                break;
            case KeyType.Hash:
                WriteHash(entry);
                break;
            default:
                WriteStream(entry);
                break;
        }

        if (entry.DeadlineMs < 0)
            return;
        _output.Begin(3);
        _output.Write("PEXPIREAT"u8);
        _output.Write(entry.Key);
        _output.Write(entry.DeadlineMs);
    }

    private void WriteString(EntryView entry)
    {
        _output.Begin(3);
        _output.Write("SET"u8);
        _output.Write(entry.Key);
        switch (entry.Encoding)
        {
            case KeyEncoding.Int:
                _output.Write(entry.Integer);
                break;
            case KeyEncoding.Blocks:
                _output.Write(new LongText(entry.BlockString));
                break;
            default:
                _output.Write(entry.InlineBytes);
                break;
        }
    }

    private void WriteList(EntryView entry)
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        var chunks = new CommandChunks(_output, "RPUSH"u8, entry.Key, entry.List.Count, width: 1);
        ListCursor cursor = entry.List.CursorAt(0);
        do
        {
            chunks.BeginElement();
            _output.Write(cursor.Current.AsText(scratch));
        }
        while (cursor.MoveNext());
    }

    private void WriteSet(EntryView entry)
    {
        var chunks = new CommandChunks(_output, "SADD"u8, entry.Key, ValueSize.Of(entry), width: 1);
        SetEnumerator members = StoredForm.Members(entry);
        while (members.MoveNext())
        {
            chunks.BeginElement();
            SetMember member = members.Current;
            if (member.IsInteger)
                _output.Write(member.Integer);
            else
                _output.Write(member.Text);
        }
    }

    private void WriteSortedSet(EntryView entry)
    {
        var chunks = new CommandChunks(_output, "ZADD"u8, entry.Key, ValueSize.Of(entry), width: 2);
        SortedSetWalk members = StoredForm.FromTail(entry);
        while (members.MoveNext())
        {
            chunks.BeginElement();
            _output.Write(members.Score);
            _output.Write(members.Member);
        }
    }

    private void WriteHash(EntryView entry)
    {
        bool hasDeadlines = StoredForm.FirstFieldDeadlineMs(entry) >= 0;
        if (hasDeadlines && _level < RdbCompatibility.Redis74)
            throw new RdbInexpressibleException(entry.Key, "deadlines of fields", _level);
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        var chunks = new CommandChunks(_output, "HMSET"u8, entry.Key, ValueSize.Of(entry), width: 2);
        FieldEnumerator fields = StoredForm.Fields(entry);
        while (fields.MoveNext())
        {
            chunks.BeginElement();
            _output.Write(fields.Current.Name.AsText(scratch));
            _output.Write(fields.Current.Value.AsText(scratch));
        }

        if (hasDeadlines)
            WriteFieldDeadlines(entry);
    }

    private void WriteFieldDeadlines(EntryView entry)
    {
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        FieldEnumerator fields = StoredForm.Fields(entry);
        while (fields.MoveNext())
        {
            FieldView field = fields.Current;
            if (field.DeadlineMs < 0)
                continue;
            _output.Begin(6);
            _output.Write("HPEXPIREAT"u8);
            _output.Write(entry.Key);
            _output.Write(field.DeadlineMs);
            _output.Write("FIELDS"u8);
            _output.Write("1"u8);
            _output.Write(field.Name.AsText(scratch));
        }
    }

    // Commands cannot make all that a stream can have: what they cannot is restored as its payload.
    private void WriteStream(EntryView entry)
    {
        StreamTree stream = StreamStore.Of(entry);
        if (StreamCommands.CanMake(stream))
        {
            StreamCommands.Write(_output, entry.Key, stream, _level);
            return;
        }

        using var payload = new RdbOutput(sink: null, isCompressed: true, isChecked: false);
        DumpPayload.Write(payload, entry, _level);
        _output.Begin(4);
        _output.Write("RESTORE"u8);
        _output.Write(entry.Key);
        _output.Write("0"u8);
        _output.Write(payload.Written);
    }
}

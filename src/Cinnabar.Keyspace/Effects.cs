// What an execution did, as commands: the journal replays them to get the same data. By default a command
// that changed something is recorded as the client sent it. A command whose effect depends on the time, on
// chance or on what other clients do records other commands in its place.
//
// The text is made at once, into a buffer of the execution:
//
//   *2\r\n$3\r\nDEL\r\n$1\r\na\r\n *2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n *3\r\n$3\r\nSET\r\n ...
//   `-- a key past its deadline    `-- the next command has another      `-- the command's own
//       that the command met           database
//
// Commit hands it to the journal as one unit. The one case that is frequent, a command as the client sent it
// and nothing else, is written straight into the journal's memory.
//
// Commands that change no data (PUBLISH) are for replicas only. They follow the unit: a client that gets a
// message finds what was changed before it.
//
// A command's head has one digit for the number of its arguments, which is known at its end only; more digits
// move the text.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Resp;

namespace Cinnabar.Keyspace;

/// <summary>The commands that the journal gets from one execution, until it commits.</summary>
public sealed unsafe class Effects : IDisposable
{
    private const long CapacityMin = 1024;
    private const long KeptCapacityMax = 64 << 10;
    private const int NoDatabase = -1;
    private const int ShortHeadSize = 4;

    private readonly KeyspaceAccess _access;
    private readonly Recording _recording;
    private byte* _data;
    private long _capacity;
    private long _length;
    private long _commandStart = -1;
    private int _argumentCount;
    private int _commandCount;
    private int _databaseFirst = NoDatabase;
    private int _database = NoDatabase;
    private byte[] _forReplicas = [];
    private int _forReplicasLength;
    private DividedText? _divided;

    internal Effects(KeyspaceAccess access)
    {
        _access = access;
        _recording = access.Keyspace.Recording;
    }

    /// <summary>Whether there is a journal: otherwise nothing may be recorded.</summary>
    public bool IsRecording => _recording.Journal is not null && Audience != JournalAudience.None;

    /// <summary>What gets the records of the command that runs (redis.set_repl).</summary>
    public JournalAudience Audience { get; set; } = JournalAudience.All;

    /// <summary>Whether replicas get what is recorded.</summary>
    public bool HasReplicas => _recording.HasReplicas && (Audience & JournalAudience.Replicas) != 0;

    /// <summary>The commands that may be recorded.</summary>
    public CommandLevel Level => _recording.Level;

    /// <summary>Whether the command that runs is not recorded as the client sent it.</summary>
    public bool IsReplaced { get; private set; }

    /// <summary>Whether anything has been recorded.</summary>
    internal bool HasContent => _length != 0;

    /// <summary>Records nothing for the command that runs but what it adds.</summary>
    public void Replace()
    {
        Debug.Assert(IsRecording, "there is no journal");
        IsReplaced = true;
    }

    /// <summary>Begins a command, in place of the one that runs or after those that took its place; arguments
    /// follow, then <see cref="End"/>.</summary>
    public Effects Begin(ReadOnlySpan<byte> name)
    {
        Replace();
        return Begin(_access.Database, name);
    }

    /// <summary>Adds an argument.</summary>
    public Effects With(ReadOnlySpan<byte> argument)
    {
        Debug.Assert(_commandStart >= 0, "no command has begun");
        _argumentCount++;
        byte* place = Reserve(CommandText.LengthOfArgument(argument.Length));
        CommandText.WriteArgument(place, argument);
        return this;
    }

    /// <summary>Adds a number as an argument.</summary>
    public Effects With(long number)
    {
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax];
        return With(text[..RedisNumber.FormatInt64(number, text)]);
    }

    /// <summary>Adds a string value as an argument.</summary>
    public Effects With(StringView text)
    {
        Debug.Assert(_commandStart >= 0, "no command has begun");
        _argumentCount++;
        byte* place = Reserve(CommandText.LengthOfArgument(text.Length));
        place = CommandText.WriteArgumentHead(place, (int)text.Length);
        for (long offset = 0; offset < text.Length;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(offset);
            // SAFETY: the pieces have the length of the text, for which there is room.
            piece.CopyTo(new Span<byte>(place, piece.Length));
            place += piece.Length;
            offset += piece.Length;
        }

        CommandText.EndLine(place);
        return this;
    }

    /// <summary>Adds some of the running command's arguments.</summary>
    public Effects With(ArgumentList arguments, int start, int count)
    {
        for (int index = start; index < start + count; index++)
            With(arguments[index].Span);
        return this;
    }

    /// <summary>Ends a command.</summary>
    public void End()
    {
        Debug.Assert(_commandStart >= 0, "no command has begun");
        int headSize = CommandText.LengthOfHead(_argumentCount);
        if (headSize > ShortHeadSize)
        {
            Reserve(headSize - ShortHeadSize);
            byte* text = _data + _commandStart + ShortHeadSize;
            // SAFETY: the text has moved within what was reserved. Its length may be above 2 GB.
            Buffer.MemoryCopy(text, _data + _commandStart + headSize,
                _capacity - _commandStart - headSize, _length - _commandStart - headSize);
        }

        CommandText.WriteHead(_data + _commandStart, _argumentCount);
        _commandStart = -1;
    }

    /// <summary>Ends a command with one more argument.</summary>
    public void End(ReadOnlySpan<byte> argument) => With(argument).End();

    /// <summary>Ends a command with one more argument.</summary>
    public void End(long argument) => With(argument).End();

    /// <summary>Records that the running command removed a key by giving it a deadline that has
    /// passed.</summary>
    public void Expire(ReadOnlySpan<byte> key)
    {
        Replace();
        Remove(_access.Database, key, isEvicted: false);
    }

    /// <summary>Adds a command that replicas get and no file.</summary>
    /// <param name="command">The command.</param>
    /// <param name="since">The version that has it first: replicas of an older one get nothing.</param>
    public void AddForReplicas(ArgumentList command, CommandLevel since)
    {
        Debug.Assert(HasReplicas, "there is a replica to get it");
        if (Level < since)
            return;
        int length = (int)CommandText.LengthOf(command);
        if (_forReplicasLength + length > _forReplicas.Length)
            Array.Resize(ref _forReplicas, Math.Max(_forReplicasLength + length, 2 * _forReplicas.Length));
        // SAFETY: there is room for the text.
        fixed (byte* place = &_forReplicas[_forReplicasLength])
            CommandText.Write(place, command);
        _forReplicasLength += length;
    }

    /// <summary>Begins a command of a transaction.</summary>
    public void BeginNested() => IsReplaced = false;

    /// <summary>Ends a command of a transaction.</summary>
    /// <param name="own">The command as the client sent it.</param>
    /// <param name="changeCount">The number of changes before it.</param>
    /// <param name="isWriting">Whether it may change keys.</param>
    public void EndNested(ArgumentList own, long changeCount, bool isWriting)
    {
        if (!IsRecording)
            return;
        _access.RemoveDue(isWriting);
        if (!IsReplaced && _access.ChangeCount != changeCount)
            Add(own);
        // The transaction itself is never recorded.
        IsReplaced = true;
    }

    /// <summary>Hands what was recorded to the journal; the stripes of all that was changed are
    /// held.</summary>
    /// <param name="own">The command as the client sent it.</param>
    /// <param name="isWriting">Whether it may change keys.</param>
    /// <param name="isWhole">Whether its effects take effect together; those of a command that met keys past
    /// their deadline, while it looked for others, need not.</param>
    public void Commit(ArgumentList own, bool isWriting, bool isWhole)
    {
        Debug.Assert(IsRecording, "there is no journal");
        _access.RemoveDue(isWriting);
        bool isVerbatim = !IsReplaced && _access.ChangeCount != 0;
        IsReplaced = false;
        if (isVerbatim && _length == 0)
            Append(own);
        else if (isVerbatim)
            Add(own);
        if (_divided is not null)
            AppendDivided(_divided);
        else if (_length != 0)
            Append(isWhole && _commandCount > 1);
        if (_forReplicasLength != 0)
            AppendForReplicas();
    }

    /// <summary>Hands over what the housekeeping recorded: its commands need not take effect
    /// together.</summary>
    public void CommitOwn()
    {
        Debug.Assert(_divided is null, "only commands have another audience");
        if (_length != 0)
            Append(isTransaction: false);
    }

    /// <summary>Forgets what was recorded: a replay is not recorded again.</summary>
    public void Discard()
    {
        Clear();
        IsReplaced = false;
        _forReplicasLength = 0;
    }

    /// <summary>Begins a command of the server's own, before the one that runs.</summary>
    internal Effects Begin(int database, ReadOnlySpan<byte> name)
    {
        Debug.Assert(IsRecording, "there is no journal");
        Debug.Assert(_commandStart < 0, "the command before has not ended");
        if (Audience == JournalAudience.All && _divided is null)
            Select(database);
        else
            SelectDivided(database);
        _commandCount++;
        Open();
        return With(name);
    }

    /// <summary>Records the end of a key that the server removes.</summary>
    /// <param name="database">Its database.</param>
    /// <param name="key">The key.</param>
    /// <param name="isEvicted">Whether it is evicted; otherwise it is past its deadline.</param>
    internal void Remove(int database, ReadOnlySpan<byte> key, bool isEvicted)
    {
        bool isLazy = isEvicted ? _recording.IsEvictionLazy : _recording.IsExpiryLazy;
        Begin(database, isLazy ? "UNLINK"u8 : "DEL"u8).End(key);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
        (_capacity, _length) = (0, 0);
    }

    private void Select(int database)
    {
        if (_databaseFirst == NoDatabase)
        {
            _databaseFirst = database;
        }
        else if (database != _database)
        {
            Open();
            With("SELECT"u8).End(database);
        }

        _database = database;
    }

    private void Open()
    {
        _commandStart = _length;
        _argumentCount = 0;
        Reserve(ShortHeadSize);
    }

    private void Add(ArgumentList own)
    {
        Begin(_access.Database, own[0].Span);
        With(own, 1, own.Count - 1).End();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Append(ArgumentList own)
    {
        int database = _access.Database;
        var unit = new JournalUnit(database, database, false, CommandText.LengthOf(own));
        IJournal journal = _recording.Journal!;
        JournalClaim claim = journal.Claim(in unit);
        // SAFETY: the claim has room for the length of the unit.
        byte* end = CommandText.Write(claim.Data, own);
        Debug.Assert(end == claim.Data + unit.Length, "the text has the length that was claimed");
        journal.Publish(in claim);
    }

    private void Append(bool isTransaction)
    {
        Debug.Assert(_commandStart < 0 && _databaseFirst >= 0, "a command has not ended");
        var unit = new JournalUnit(_databaseFirst, _database, isTransaction, _length);
        IJournal journal = _recording.Journal!;
        JournalClaim claim = journal.Claim(in unit);
        // SAFETY: the claim has room for the length of the unit.
        Buffer.MemoryCopy(_data, claim.Data, unit.Length, unit.Length);
        journal.Publish(in claim);
        Clear();
    }

    // A reader of a command must know its database.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SelectDivided(int database)
    {
        _divided ??= new DividedText();
        _divided.Begin(_length, JournalAudience.All);
        Select(database);
        _divided.Begin(_length, Audience);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AppendDivided(DividedText divided)
    {
        foreach (JournalAudience audience in (ReadOnlySpan<JournalAudience>)
            [JournalAudience.Replicas, JournalAudience.File])
        {
            _recording.Journal!.AppendFor(audience,
                divided.For(new ReadOnlySpan<byte>(_data, checked((int)_length)), _databaseFirst, audience));
        }

        Clear();
    }

    // An execution without stripes may find that the journal has ended.
    private void AppendForReplicas()
    {
        _recording.Journal?.AppendFor(
            JournalAudience.Replicas, _forReplicas.AsSpan(0, _forReplicasLength));
        _forReplicasLength = 0;
        if (_forReplicas.Length > KeptCapacityMax)
            _forReplicas = [];
    }

    private void Clear()
    {
        (_length, _commandCount) = (0, 0);
        _divided = null;
        (_databaseFirst, _database) = (NoDatabase, NoDatabase);
        if (_capacity > KeptCapacityMax)
            Dispose();
    }

    private byte* Reserve(long size)
    {
        long length = _length + size;
        if (length > _capacity)
        {
            _capacity = Math.Max(CapacityMin, Math.Max(length, 2 * _capacity));
            _data = (byte*)NativeMemory.Realloc(_data, (nuint)_capacity);
        }

        byte* place = _data + _length;
        _length = length;
        return place;
    }
}

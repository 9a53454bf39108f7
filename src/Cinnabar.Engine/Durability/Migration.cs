using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Durability;

/// <summary>The keys of one MIGRATE on their way; their stripes are held.</summary>
/// <param name="execution">The command's execution.</param>
/// <param name="request">What it asks for.</param>
/// <param name="keys">The arguments that name keys which are there.</param>
internal sealed class Migration(SessionExecution execution, MigrateRequest request, int[] keys) : IDisposable
{
    private const int SentAtOnceMax = 64 << 10;

    private readonly WriteOptions _options = execution.Engine.Data.Writing;
    private readonly RdbOutput _payload = execution.Engine.Data.Writing.NewOutput();
    private readonly RdbOutput _text = new(sink: null, isCompressed: false, isChecked: false);
    private readonly List<int> _moved = [];
    private bool _hasSelected;

    /// <summary>Whether a key was removed here.</summary>
    public bool HasMoved => _moved.Count > 0;

    /// <summary>What the target has replied first of its errors, without the minus; null: none.</summary>
    public byte[]? Refusal { get; private set; }

    /// <summary>Refuses what cannot be written, before anything is sent.</summary>
    /// <exception cref="RdbInexpressibleException">A value has no form at the level.</exception>
    public void Check()
    {
        foreach (int index in keys)
            RdbValueWriter.TypeOf(execution.Keys.Peek(execution.HashedKey(index)), _options.Compatibility);
    }

    /// <summary>Sends the commands for all keys.</summary>
    public void Send(MigrateLink link)
    {
        _text.Clear();
        if (request.Credentials.Length > 0)
        {
            Begin(1 + request.Credentials.Length, "AUTH"u8);
            foreach (byte[] credential in request.Credentials)
                Add(credential);
        }

        _hasSelected = link.Database != request.Database;
        if (_hasSelected)
        {
            Begin(2, "SELECT"u8);
            Add(request.Database);
        }

        foreach (int index in keys)
            SendKey(link, index);
        link.Send(_text.Written);
    }

    /// <summary>Receives the replies; removes each key that the target has taken.</summary>
    public void Receive(MigrateLink link)
    {
        bool isIn = true;
        if (request.Credentials.Length > 0)
            isIn &= IsAccepted(link.ReceiveLine());
        if (_hasSelected)
            isIn &= IsAccepted(link.ReceiveLine());
        foreach (int index in keys)
        {
            if (!IsAccepted(link.ReceiveLine()) || !isIn || request.IsCopy)
                continue;
            Key key = execution.HashedKey(index);
            if (!execution.Keys.Remove(in key))
                continue;
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            _moved.Add(index);
        }

        // After an error it is not known which database is selected there.
        link.Database = Refusal is null ? request.Database : -1;
    }

    /// <summary>Records the removal of the keys that were moved, in place of the command.</summary>
    public void Record()
    {
        if (!execution.Effects.IsRecording || !HasMoved)
            return;
        Effects effects = execution.Effects.Begin("DEL"u8);
        foreach (int index in _moved)
            effects.With(execution.Argument(index));
        effects.End();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _payload.Dispose();
        _text.Dispose();
    }

    private void SendKey(MigrateLink link, int index)
    {
        EntryView entry = execution.Keys.Peek(execution.HashedKey(index));
        long ttlMs = entry.DeadlineMs < 0 ? 0 : Math.Max(1, entry.DeadlineMs - execution.NowMs);
        _payload.Clear();
        DumpPayload.Write(_payload, entry, _options.Compatibility);
        Begin(request.IsReplace ? 5 : 4, "RESTORE"u8);
        Add(execution.Argument(index));
        Add(ttlMs);
        AddLength(_payload.Written.Length);
        if (_payload.Length > SentAtOnceMax)
        {
            link.Send(_text.Written);
            _text.Clear();
            link.Send(_payload.Written);
        }
        else
        {
            _text.WriteBytes(_payload.Written);
        }

        _text.WriteBytes("\r\n"u8);
        if (request.IsReplace)
            Add("REPLACE"u8);
        if (_text.Length <= SentAtOnceMax)
            return;
        link.Send(_text.Written);
        _text.Clear();
    }

    private bool IsAccepted(ReadOnlySpan<byte> reply)
    {
        bool isError = reply.StartsWith("-"u8);
        if (isError && Refusal is null)
            Refusal = reply[1..].ToArray();
        return !isError;
    }

    private void Begin(int count, ReadOnlySpan<byte> name)
    {
        AddLine((byte)'*', count);
        Add(name);
    }

    private void Add(long number)
    {
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax];
        Add(text[..RedisNumber.FormatInt64(number, text)]);
    }

    private void Add(ReadOnlySpan<byte> argument)
    {
        AddLength(argument.Length);
        _text.WriteBytes(argument);
        _text.WriteBytes("\r\n"u8);
    }

    private void AddLength(int length) => AddLine((byte)'$', length);

    private void AddLine(byte first, long number)
    {
        Span<byte> text = stackalloc byte[RedisNumber.Int64BytesMax];
        _text.WriteByte(first);
        _text.WriteBytes(text[..RedisNumber.FormatInt64(number, text)]);
        _text.WriteBytes("\r\n"u8);
    }
}

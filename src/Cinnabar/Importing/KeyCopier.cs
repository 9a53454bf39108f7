// Copies keys of the source as they are now: deletes here what is not there. A key is dumped there and
// restored here. Where DUMP is refused, or its payload is of a version unknown here, the value is read by the
// commands of its type and made anew, in a transaction where it is of moderate size.
//
// Requests for several keys are sent at once. Their number follows the size of the values seen last, so that
// neither server has to hold many large payloads.

using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Statistics;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Copies keys from a source to this server.</summary>
/// <param name="source">The source.</param>
/// <param name="local">This server.</param>
/// <param name="abilities">What the source can do.</param>
/// <param name="progress">Counts what is done.</param>
/// <param name="log">The server's log.</param>
internal sealed class KeyCopier(
    SourceLink source, LocalLink local, Abilities abilities, ImportProgress progress, ILog log)
{
    private const int BatchCountMax = 256;
    private const long BatchBytes = 4 << 20;
    private const long TransactionBytesMax = 32 << 20;
    private const long WriteBytes = 1 << 20;
    private const int AttemptsMax = 100;
    private const int LoggedSkipsMax = 100;
    private const int LoggedKeyLengthMax = 100;

    private readonly SourceLink _source = source;
    private readonly LocalLink _local = local;
    private readonly Abilities _abilities = abilities;
    private readonly ImportProgress _progress = progress;
    private readonly ILog _log = log;
    private readonly ValueReader _reader = new(source, abilities);
    private readonly List<byte[]> _written = [];
    private readonly List<byte[]> _refused = [];
    private long _bytesOfKey = 1024;

    /// <summary>Called with a key that another master of the cluster has, and the source's error: MOVED or
    /// ASK, slot, place.</summary>
    public required Action<ImportKey, string> Moved { get; init; }

    /// <summary>How many keys should be given at once.</summary>
    public int BatchCount => (int)Math.Clamp(BatchBytes / Math.Max(_bytesOfKey, 1), 1, BatchCountMax);

    /// <summary>Whether another server, or the server itself after a move, has a key.</summary>
    public static bool IsElsewhere(Reply reply) => reply.IsError
        && (reply.Text.StartsWith("MOVED ", StringComparison.Ordinal)
            || reply.Text.StartsWith("ASK ", StringComparison.Ordinal));

    /// <summary>Copies keys of a database.</summary>
    /// <exception cref="ImportException">The source, or this server, does not let it go on.</exception>
    public void Copy(int database, IReadOnlyList<byte[]> keys)
    {
        Debug.Assert(keys.Count > 0, "a batch has keys");
        Debug.Assert(_written.Count == 0, "the batch before is settled");
        _source.Select(database);
        _local.Select(database);
        _refused.Clear();
        if (_abilities.CanDump)
            CopyDumps(database, keys);
        else
            _refused.AddRange(keys);
        foreach (byte[] key in _refused)
            CopyByType(database, key);
    }

    /// <summary>Asks for the deadline of a key.</summary>
    public void AddDeadline(byte[] key) =>
        _source.Add(CopiedValue.Word(_abilities.CanTellDeadline ? "PEXPIRETIME" : "PTTL"), key);

    /// <summary>The deadline that a reply tells: −1 for none; null: the key has gone.</summary>
    public long? DeadlineOf(Reply reply, long nowMs)
    {
        if (reply.IsError)
            throw new ImportException($"{_source} does not tell deadlines: {reply.Text}");
        long told = reply.Integer;
        return told == -2 ? null : told < 0 ? -1 : _abilities.CanTellDeadline ? told : told + nowMs;
    }

    /// <summary>The source's time, Unix milliseconds, or ours where it does not tell it.</summary>
    public long SourceTimeMs()
    {
        if (_abilities.CanTellDeadline || !_abilities.CanTellTime)
            return DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        Reply time = _source.Call("TIME");
        return time.IsError ? DateTimeOffset.UtcNow.ToUnixTimeMilliseconds()
            : (time.Items[0].Integer * 1000) + (time.Items[1].Integer / 1000);
    }

    private void CopyDumps(int database, IReadOnlyList<byte[]> keys)
    {
        long nowMs = SourceTimeMs();
        byte[] dump = CopiedValue.Word("DUMP");
        foreach (byte[] key in keys)
        {
            _source.Add(dump, key);
            AddDeadline(key);
        }

        _source.Send();
        long bytes = 0;
        long unsent = 0;
        foreach (byte[] key in keys)
        {
            Reply payload = _source.Receive();
            Reply deadline = _source.Receive();
            if (!IsThere(database, key, payload) || !IsThere(database, key, deadline))
                continue;
            bytes += payload.Bytes.Length;
            unsent += payload.Bytes.Length;
            long? deadlineMs = payload.IsNull ? null : DeadlineOf(deadline, nowMs);
            if (deadlineMs is not { } instant)
                Delete(key);
            else
                Restore(key, payload.Bytes, instant);
            if (unsent < WriteBytes)
                continue;
            _local.Send();
            unsent = 0;
        }

        _bytesOfKey = (_bytesOfKey + (bytes / keys.Count)) / 2;
        Settle();
    }

    private void Restore(byte[] key, byte[] payload, long deadlineMs)
    {
        byte[] instant = CopiedValue.Word(Math.Max(deadlineMs, 0).ToString(CultureInfo.InvariantCulture));
        _local.Add(CopiedValue.Word("RESTORE"), key, instant, payload, CopiedValue.Word("REPLACE"),
            CopiedValue.Word("ABSTTL"));
        _written.Add(key);
    }

    private void Delete(byte[] key)
    {
        _local.Add(CopiedValue.Word("DEL"), key);
        _written.Add(key);
    }

    // Takes the replies to what was written.
    private void Settle()
    {
        _local.Send();
        long copied = 0;
        long deleted = 0;
        foreach (byte[] key in _written)
        {
            Reply reply = _local.Receive();
            if (!reply.IsError)
            {
                bool isRestored = reply.Kind == ReplyKind.SimpleString;
                copied += isRestored ? 1 : 0;
                deleted += isRestored ? 0 : reply.Integer;
            }
            else if (IsOfPayload(reply))
            {
                _refused.Add(key);
            }
            else
            {
                throw Refusal(reply);
            }
        }

        _written.Clear();
        _progress.AddCopied(copied);
        _progress.AddDeleted(deleted);
    }

    // A payload of a newer server, or of a type or an encoding that this one does not know.
    private static bool IsOfPayload(Reply reply) =>
        reply.Text.StartsWith("ERR ", StringComparison.Ordinal)
        && !reply.Text.StartsWith("ERR unknown command", StringComparison.Ordinal);

    private static ImportException Refusal(Reply reply) => new($"this server refuses a write: {reply.Text}");

    // Whether the source has answered for the key.
    private bool IsThere(int database, byte[] key, Reply reply)
    {
        if (!reply.IsError)
            return true;
        if (IsElsewhere(reply))
            Moved(new ImportKey(database, key), reply.Text);
        else if (reply.Text.StartsWith("NOPERM", StringComparison.Ordinal) && Abilities.Has(reply))
            Skip(key, reply.Text);
        else
            throw new ImportException($"{_source} refuses a key: {reply.Text}");
        return false;
    }

    private void CopyByType(int database, byte[] key)
    {
        for (int attempt = 0; attempt < AttemptsMax; attempt++)
        {
            _source.Add(CopiedValue.Word("TYPE"), key);
            AddDeadline(key);
            _source.Send();
            Reply type = _source.Receive();
            Reply deadline = _source.Receive();
            if (!IsThere(database, key, type) || !IsThere(database, key, deadline))
                return;
            if (DeadlineOf(deadline, SourceTimeMs()) is not { } deadlineMs)
            {
                Delete(key);
                Settle();
                return;
            }

            Reply? error = _reader.Read(key, type.Text, long.MaxValue, out CopiedValue? value);
            if (value is not null)
            {
                Write(key, value, deadlineMs);
                return;
            }

            // Without an error it has gone meanwhile, or it has another type now: it is looked at again.
            if (error?.Text.StartsWith("WRONGTYPE", StringComparison.Ordinal) == false)
            {
                if (!IsElsewhere(error))
                    Skip(key, error.Text);
                else
                    Moved(new ImportKey(database, key), error.Text);
                return;
            }
        }

        Skip(key, "it changes its type while it is read");
    }

    private void Write(byte[] key, CopiedValue value, long deadlineMs)
    {
        bool isWhole = value.Bytes <= TransactionBytesMax;
        int count = 0;
        if (isWhole)
            _local.Add("MULTI");
        foreach (byte[][] command in value.Rebuild(key, deadlineMs))
        {
            _local.Add(command);
            count++;
            if (isWhole)
                continue;
            _local.Send();
            Check(key, _local.Receive());
        }

        if (!isWhole)
        {
            _progress.AddCopied(1);
            return;
        }

        _local.Add("EXEC");
        _local.Send();
        for (int index = 0; index < count + 1; index++)
            Check(key, _local.Receive());
        foreach (Reply reply in _local.Receive() is { IsError: false } all ? all.Items : [])
            Check(key, reply);
        _progress.AddCopied(1);
    }

    private void Check(byte[] key, Reply reply)
    {
        if (!reply.IsError)
            return;
        if (!reply.Text.StartsWith("ERR ", StringComparison.Ordinal))
            throw Refusal(reply);
        Skip(key, reply.Text);
    }

    private void Skip(byte[] key, string reason)
    {
        if (_progress.AddSkipped() > LoggedSkipsMax)
            return;
        string name = Encoding.Latin1.GetString(key.AsSpan(0, Math.Min(key.Length, LoggedKeyLengthMax)));
        _log.Write(LogLevel.Warning, $"Import: the key '{name}' cannot be copied whole: {reason}");
    }
}

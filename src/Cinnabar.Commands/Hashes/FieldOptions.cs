using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>The arguments of HGETEX and HSETEX: options, and the fields anywhere among them, as in Redis
/// 8.6.</summary>
internal struct FieldOptions
{
    private const int First = 2;

    private bool _isSet;
    private bool _hasExpiry;

    /// <summary>HSETEX: whether there must be a hash (XX, of Valkey).</summary>
    public bool HashMustExist { get; private set; }

    /// <summary>HSETEX: whether there may be no hash (NX, of Valkey).</summary>
    public bool HashMustBeMissing { get; private set; }

    /// <summary>HSETEX: whether all fields must exist (FXX).</summary>
    public bool MustExist { get; private set; }

    /// <summary>HSETEX: whether no field may exist (FNX).</summary>
    public bool MustBeMissing { get; private set; }

    /// <summary>The fields' deadline, Unix time in milliseconds, <see cref="HashStore.NoDeadline"/> or
    /// <see cref="HashStore.KeepDeadline"/>.</summary>
    public long DeadlineMs { get; private set; }

    /// <summary>The argument that is the first field; HSETEX has values between fields.</summary>
    public int FirstField { get; private set; }

    /// <summary>The argument behind the last field, and its value.</summary>
    public int EndField { get; private set; }

    /// <summary>How many fields there are.</summary>
    public int Count { get; private set; }

    private readonly ReadOnlySpan<byte> Command => _isSet ? "hsetex"u8 : "hgetex"u8;

    /// <summary>Reads the arguments; replies the error where they make no sense.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isSet">Whether it is HSETEX.</param>
    public bool TryRead(Execution execution, bool isSet)
    {
        _isSet = isSet;
        DeadlineMs = isSet ? HashStore.NoDeadline : HashStore.KeepDeadline;
        for (int index = First; index < execution.ArgumentCount; index++)
        {
            bool isRead = execution.Is(index, "fields"u8)
                ? TryReadFields(execution, ref index)
                : TryReadOption(execution, ref index);
            if (!isRead)
                return false;
        }

        return FirstField != 0 || Fail(execution, "ERR missing FIELDS argument"u8);
    }

    private bool TryReadFields(Execution execution, ref int index)
    {
        if (FirstField != 0)
            return Fail(execution, "ERR FIELDS keyword specified multiple times"u8);
        if (++index == execution.ArgumentCount)
        {
            Errors.ReplyWrongArity(execution, Command);
            return false;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(index), out long count)
            || count is < 1 or > int.MaxValue)
            return Fail(execution, "ERR invalid number of fields"u8);
        FirstField = index + 1;
        long end = FirstField + (_isSet ? count * 2 : count);
        if (end > execution.ArgumentCount)
            return Fail(execution, "ERR wrong number of arguments"u8);
        EndField = (int)end;
        Count = (int)count;
        index = EndField - 1;
        return true;
    }

    private bool TryReadOption(Execution execution, ref int index)
    {
        ExpireUnit unit = FieldExpireTime.UnitOf(execution, index);
        if (unit != ExpireUnit.None)
            return TryReadExpiry(execution, ref index, unit);
        if (execution.Is(index, _isSet ? "keepttl"u8 : "persist"u8))
        {
            DeadlineMs = _isSet ? HashStore.KeepDeadline : HashStore.NoDeadline;
            return TryNoteExpiry(execution);
        }

        if (_isSet && (execution.Is(index, "fxx"u8) || execution.Is(index, "fnx"u8)))
            return TryReadCondition(execution, index);
        if (_isSet && (execution.Is(index, "nx"u8) || execution.Is(index, "xx"u8)))
            return TryReadHashCondition(execution, index);
        execution.Reply.Error("ERR unknown argument: "u8, execution.Argument(index), default);
        return false;
    }

    private bool TryReadCondition(Execution execution, int index)
    {
        if (MustExist || MustBeMissing)
            return Fail(execution, "ERR Only one of FXX or FNX arguments can be specified"u8);
        MustExist = execution.Is(index, "fxx"u8);
        MustBeMissing = !MustExist;
        return true;
    }

    private bool TryReadHashCondition(Execution execution, int index)
    {
        if (HashMustExist || HashMustBeMissing)
            return Fail(execution, "ERR Only one of NX or XX arguments can be specified"u8);
        HashMustExist = execution.Is(index, "xx"u8);
        HashMustBeMissing = !HashMustExist;
        return true;
    }

    private bool TryReadExpiry(Execution execution, ref int index, ExpireUnit unit)
    {
        if (!TryNoteExpiry(execution))
            return false;
        if (++index == execution.ArgumentCount)
            return Fail(execution, "ERR missing expire time"u8);
        bool isValid = FieldExpireTime.TryRead(execution, index, unit, Command, out long deadlineMs);
        DeadlineMs = deadlineMs;
        return isValid;
    }

    private bool TryNoteExpiry(Execution execution)
    {
        if (!_hasExpiry)
            return _hasExpiry = true;
        return Fail(execution, _isSet
            ? "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"u8
            : "ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified"u8);
    }

    private static bool Fail(Execution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }
}

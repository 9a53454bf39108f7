using Cinnabar.Keyspace.Hashes;
using Cinnabar.Resp;

namespace Cinnabar.Commands.Hashes;

/// <summary>The options of HSETEX, before its fields.</summary>
internal struct HashSetOptions
{
    private const int First = 2;

    private bool _hasExpiry;

    /// <summary>Whether there must be a hash (XX, of Valkey).</summary>
    public bool HashMustExist { get; private set; }

    /// <summary>Whether there may be no hash (NX, of Valkey).</summary>
    public bool HashMustBeMissing { get; private set; }

    /// <summary>Whether all fields must exist (FXX).</summary>
    public bool MustExist { get; private set; }

    /// <summary>Whether no field may exist (FNX).</summary>
    public bool MustBeMissing { get; private set; }

    /// <summary>The fields' deadline, Unix time in milliseconds, <see cref="HashStore.NoDeadline"/> or
    /// <see cref="HashStore.KeepDeadline"/>.</summary>
    public long DeadlineMs { get; private set; }

    /// <summary>The argument that is the first field; values stand between fields.</summary>
    public int FirstField { get; private set; }

    /// <summary>Reads the options up to the fields; replies the error where they make no sense.</summary>
    public bool TryRead(Execution execution)
    {
        DeadlineMs = HashStore.NoDeadline;
        for (int index = First; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "fields"u8))
                return TryReadFields(execution, index);
            if (!TryReadCondition(execution, index, out bool isCondition))
                return false;
            if (!isCondition && !TryReadExpiry(execution, ref index))
                return false;
        }

        Errors.ReplyWrongArity(execution, "hsetex"u8);
        return false;
    }

    private bool TryReadFields(Execution execution, int index)
    {
        FirstField = index + 2;
        int rest = execution.ArgumentCount - FirstField;
        if (rest < 2)
        {
            Errors.ReplyWrongArity(execution, "hsetex"u8);
            return false;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(index + 1), out long count)
            || count is < 1 or > int.MaxValue)
        {
            execution.Reply.Error("ERR invalid number of fields"u8);
            return false;
        }

        if (rest == count * 2)
            return true;
        Errors.ReplyWrongArity(execution, "hsetex"u8);
        return false;
    }

    private bool TryReadCondition(Execution execution, int index, out bool isCondition)
    {
        if (execution.Is(index, "nx"u8) || execution.Is(index, "xx"u8))
            return TryReadHashCondition(execution, index, out isCondition);
        bool mustExist = execution.Is(index, "fxx"u8);
        isCondition = mustExist || execution.Is(index, "fnx"u8);
        if (!isCondition)
            return true;
        if (MustExist || MustBeMissing)
        {
            execution.Reply.Error("ERR Only one of FXX or FNX arguments can be specified"u8);
            return false;
        }

        (MustExist, MustBeMissing) = (mustExist, !mustExist);
        return true;
    }

    private bool TryReadHashCondition(Execution execution, int index, out bool isCondition)
    {
        isCondition = true;
        if (HashMustExist || HashMustBeMissing)
        {
            execution.Reply.Error("ERR Only one of NX or XX arguments can be specified"u8);
            return false;
        }

        HashMustExist = execution.Is(index, "xx"u8);
        HashMustBeMissing = !HashMustExist;
        return true;
    }

    private bool TryReadExpiry(Execution execution, ref int index)
    {
        ExpireUnit unit = FieldExpireTime.UnitOf(execution, index);
        bool keepsDeadline = execution.Is(index, "keepttl"u8);
        if (unit == ExpireUnit.None && !keepsDeadline)
        {
            execution.Reply.Error("ERR unknown argument: "u8, execution.Argument(index), default);
            return false;
        }

        if (_hasExpiry)
        {
            execution.Reply.Error(
                "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"u8);
            return false;
        }

        _hasExpiry = true;
        if (keepsDeadline)
        {
            DeadlineMs = HashStore.KeepDeadline;
            return true;
        }

        if (++index == execution.ArgumentCount)
        {
            execution.Reply.Error("ERR missing expire time"u8);
            return false;
        }

        bool isValid = FieldExpireTime.TryRead(execution, index, unit, "hsetex"u8, out long deadlineMs);
        DeadlineMs = deadlineMs;
        return isValid;
    }
}

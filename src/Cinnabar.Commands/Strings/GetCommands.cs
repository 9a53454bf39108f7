using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Strings;

/// <summary>Commands that reply a string: GET, GETDEL, GETEX, GETSET, MGET, STRLEN.</summary>
public static class GetCommands
{
    /// <summary>GET key.</summary>
    public static void Get(Execution execution)
    {
        if (execution.TryFindString(1, out EntryView entry))
            execution.ReplyString(entry);
    }

    /// <summary>MGET key [key ...]; a key of another type is as good as missing.</summary>
    public static void MGet(Execution execution)
    {
        int count = execution.ArgumentCount;
        execution.Reply.ArrayHeader(count - 1);
        for (int index = 1; index < count; index++)
        {
            EntryView entry = execution.Keys.Find(execution.Key(index));
            if (entry.IsMissing || entry.Type != KeyType.String)
                execution.Reply.Null();
            else
                execution.ReplyString(entry);
        }
    }

    /// <summary>STRLEN key.</summary>
    public static void StrLen(Execution execution)
    {
        if (execution.TryFindString(1, out EntryView entry))
            execution.Reply.Integer(entry.IsMissing ? 0 : entry.StringLength);
    }

    /// <summary>GETDEL key.</summary>
    public static void GetDel(Execution execution)
    {
        if (!execution.TryFindString(1, out EntryView entry))
            return;
        execution.ReplyString(entry);
        if (entry.IsMissing)
            return;
        Key key = execution.Key(1);
        bool isRemoved = execution.Keys.Remove(in key);
        Debug.Assert(isRemoved, "the key was there");
        execution.Keys.Changed(in key, KeyEvent.Deleted);
        if (execution.Effects.IsRecording)
            execution.Effects.Begin("DEL"u8).End(key.Span);
    }

    /// <summary>GETSET key value.</summary>
    public static void GetSet(Execution execution)
    {
        if (!execution.TryFindString(1, out EntryView entry))
            return;
        execution.ReplyString(entry);
        Key key = execution.Key(1);
        SetCommands.StoreValue(execution, in key, 2, StringStore.NoDeadline);
        execution.Keys.Changed(in key, KeyEvent.Set);
        if (execution.Effects.IsRecording)
            SetCommands.BeginSet(execution, in key, 2).End();
    }

    /// <summary>GETEX key [EX seconds | PX milliseconds | EXAT seconds | PXAT milliseconds |
    /// PERSIST].</summary>
    public static void GetEx(Execution execution)
    {
        ExpireTime expiry = default;
        bool isPersist = false;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (expiry.Unit == ExpireUnit.None && execution.Is(index, "persist"u8))
            {
                isPersist = true;
            }
            else if (isPersist || !expiry.TryReadOption(execution, ref index))
            {
                execution.Reply.Error(Errors.Syntax);
                return;
            }
        }

        // Whether there is such a string is asked before the number is looked at.
        if (!execution.TryFindString(1, out EntryView entry))
            return;
        long deadlineMs = StringStore.NoDeadline;
        if (!entry.IsMissing && expiry.Unit != ExpireUnit.None
            && !expiry.TryResolve(execution, "getex"u8, out deadlineMs))
            return;
        execution.ReplyString(entry);
        if (entry.IsMissing)
            return;
        if (expiry.Unit != ExpireUnit.None)
            ChangeDeadline(execution, deadlineMs);
        else if (isPersist && entry.DeadlineMs >= 0)
            ChangeDeadline(execution, StringStore.NoDeadline);
    }

    private static void ChangeDeadline(Execution execution, long deadlineMs)
    {
        Key key = execution.Key(1);
        if (deadlineMs != StringStore.NoDeadline && execution.IsPast(deadlineMs))
        {
            execution.Keys.Statistics.ExpiredKeys++;
            execution.Keys.Remove(in key);
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            if (execution.Effects.IsRecording)
                execution.Effects.Expire(key.Span);
            return;
        }

        bool isSet = execution.Keys.SetDeadline(in key, deadlineMs);
        Debug.Assert(isSet, "the key was there");
        execution.Keys.Changed(in key, deadlineMs >= 0 ? KeyEvent.Expire : KeyEvent.Persist);
        if (!execution.Effects.IsRecording)
            return;
        if (deadlineMs >= 0)
            execution.Effects.Begin("PEXPIREAT"u8).With(key.Span).End(deadlineMs);
        else
            execution.Effects.Begin("PERSIST"u8).End(key.Span);
    }
}

namespace Cinnabar.Commands.Keys;

/// <summary>Commands that bring a value under another name or into another database: COPY, MOVE, RENAME,
/// RENAMENX.</summary>
public static class TransferCommands
{
    /// <summary>RENAME key newkey.</summary>
    public static void Rename(Execution execution)
    {
        if (!TryFindSource(execution))
            return;
        if (!IsSameName(execution))
            MoveToName(execution);
        execution.Reply.Ok();
    }

    /// <summary>RENAMENX key newkey.</summary>
    public static void RenameNx(Execution execution)
    {
        if (!TryFindSource(execution))
            return;
        bool isFree = !IsSameName(execution) && execution.Keys.Peek(execution.Key(2)).IsMissing;
        if (isFree)
            MoveToName(execution);
        execution.Reply.Integer(isFree ? 1 : 0);
    }

    /// <summary>MOVE key db.</summary>
    public static void Move(Execution execution)
    {
        if (!DatabaseNumber.TryRead(execution, 2, out int database))
            return;
        if (database == execution.Keys.Database)
        {
            execution.Reply.Error(Errors.SameObject);
            return;
        }

        Key key = execution.Key(1);
        if (execution.Keys.FindForWrite(in key).IsMissing
            || !execution.Keys.PeekIn(database, in key).IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        KeyType? old = execution.Keys.Transfer(in key, in key, database, isCopy: false);
        Debug.Assert(old is null, "a move overwrites nothing");
        execution.Keys.Changed(in key, KeyEvent.MovedFrom);
        execution.Keys.MarkChanged(database, in key, KeyEvent.MovedTo);
        execution.Reply.Integer(1);
    }

    /// <summary>COPY source destination [DB destination-db] [REPLACE].</summary>
    public static void Copy(Execution execution)
    {
        int database = execution.Keys.Database;
        bool isReplace = false;
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "replace"u8))
            {
                isReplace = true;
            }
            else if (execution.Is(index, "db"u8) && index + 1 < execution.ArgumentCount)
            {
                if (!DatabaseNumber.TryRead(execution, ++index, out database))
                    return;
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return;
            }
        }

        if (database == execution.Keys.Database && IsSameName(execution))
        {
            execution.Reply.Error(Errors.SameObject);
            return;
        }

        Key source = execution.Key(1);
        Key target = execution.Key(2);
        bool isPossible = !execution.Keys.Find(in source).IsMissing
            && (isReplace || execution.Keys.PeekIn(database, in target).IsMissing);
        if (isPossible)
        {
            KeyType? old = execution.Keys.Transfer(in source, in target, database, isCopy: true);
            Debug.Assert(isReplace || old is null, "only REPLACE overwrites a key");
            execution.Keys.Changed(database, in target, KeyEvent.CopiedTo);
            execution.Keys.NoteReplaced(database, in target, old);
        }

        execution.Reply.Integer(isPossible ? 1 : 0);
    }

    private static bool TryFindSource(Execution execution)
    {
        if (!execution.Keys.FindForWrite(execution.Key(1)).IsMissing)
            return true;
        execution.Reply.Error(Errors.NoSuchKey);
        return false;
    }

    private static bool IsSameName(Execution execution) =>
        System.MemoryExtensions.SequenceEqual(execution.Argument(1), execution.Argument(2));

    private static void MoveToName(Execution execution)
    {
        Debug.Assert(!IsSameName(execution), "a key would overwrite itself");
        Key source = execution.Key(1);
        Key target = execution.Key(2);
        int database = execution.Keys.Database;
        KeyType? old = execution.Keys.Transfer(in source, in target, database, isCopy: false);
        execution.Keys.Changed(in source, KeyEvent.RenamedFrom);
        execution.Keys.MarkChanged(in target, KeyEvent.RenamedTo);
        execution.Keys.NoteReplaced(database, in target, old);
    }
}

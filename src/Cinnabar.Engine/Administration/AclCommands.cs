using System.Security.Cryptography;
using Cinnabar.Commands;
using Cinnabar.Engine.Access;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Logging;
using Cinnabar.Security.Rules;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Administration;

/// <summary>ACL with its subcommands. Names and rules are bytes, kept one a character.</summary>
internal static class AclCommands
{
    private const int ArgumentFirst = 2;
    private const int PasswordBits = 256;
    private const int PasswordBitsMax = 4096;
    private const int ShownCount = 10;

    /// <summary>ACL CAT [category]</summary>
    public static void Cat(SessionExecution execution)
    {
        if (execution.ArgumentCount > ArgumentFirst + 1)
        {
            SubcommandError.Reply(execution);
            return;
        }

        if (execution.ArgumentCount == ArgumentFirst)
        {
            AclReplies.Categories(execution);
            return;
        }

        AclCategories category = AclCategoryNames.Find(execution.Argument(ArgumentFirst));
        if (category == AclCategories.None)
            execution.Reply.Error("ERR Unknown category '"u8, execution.Argument(ArgumentFirst), "'"u8);
        else
            SpecReply.WriteNames(ref execution.Reply, execution.Engine.Commands.All, category, "*"u8);
    }

    /// <summary>ACL DELUSER username [username ...]</summary>
    public static void DelUser(SessionExecution execution)
    {
        List<string> names = TextsFrom(execution, ArgumentFirst);
        if (names.Contains(UserTable.DefaultName))
        {
            execution.Reply.Error("ERR The 'default' user cannot be removed"u8);
            return;
        }

        execution.Reply.Integer(execution.Engine.Access.Delete(names));
        CloseIfDeleted(execution);
    }

    /// <summary>ACL DRYRUN username command [arg ...]</summary>
    public static void DryRun(SessionExecution execution)
    {
        if (execution.Engine.Access.Users.Find(TextOf(execution, ArgumentFirst)) is not { } account)
        {
            execution.Reply.Error("ERR User '"u8, execution.Argument(ArgumentFirst), "' not found"u8);
            return;
        }

        ArgumentList arguments = execution.Arguments.Skip(ArgumentFirst + 1);
        CommandSpec? spec = execution.Engine.Commands.Find(arguments);
        if (spec is null)
        {
            execution.Reply.Error("ERR Command '"u8, arguments[0].Span, "' not found"u8);
            return;
        }

        if (!spec.AcceptsCount(arguments.Count))
        {
            execution.Reply.Error("ERR wrong number of arguments for '"u8, spec.NameBytes, "' command"u8);
            return;
        }

        AccessDenial denial =
            AccessCheck.Find(account.User, spec, arguments, execution.Session.Database,
                execution.Engine.Keyspace.DatabaseCount);
        if (denial.IsNone)
            execution.Reply.Ok();
        else
            execution.Reply.Bulk(AclReplies.DryRunText(denial, spec, arguments));
    }

    /// <summary>ACL GENPASS [bits]</summary>
    public static void GenPass(SessionExecution execution)
    {
        long bits = PasswordBits;
        if (execution.ArgumentCount > ArgumentFirst + 1)
        {
            SubcommandError.Reply(execution);
            return;
        }

        if (execution.ArgumentCount > ArgumentFirst && !execution.TryInteger(ArgumentFirst, out bits))
            return;
        if (bits is <= 0 or > PasswordBitsMax)
        {
            execution.Reply.Error("ERR ACL GENPASS argument must be the number of bits for the output "u8
                + "password, a positive number up to 4096"u8);
            return;
        }

        string digits = RandomNumberGenerator.GetHexString((int)((bits + 3) / 4), lowercase: true);
        execution.Reply.Bulk(Encoding.ASCII.GetBytes(digits));
    }

    /// <summary>ACL GETUSER username</summary>
    public static void GetUser(SessionExecution execution)
    {
        if (execution.Engine.Access.Users.Find(TextOf(execution, ArgumentFirst)) is { } account)
            AclReplies.User(execution, account.User);
        else
            execution.Reply.Null();
    }

    /// <summary>ACL LIST</summary>
    public static void List(SessionExecution execution) =>
        AclReplies.Texts(execution, execution.Engine.Access.Users.All, static user => user.User.ToString());

    /// <summary>ACL USERS</summary>
    public static void Users(SessionExecution execution) =>
        AclReplies.Texts(execution, execution.Engine.Access.Users.All, static user => user.Name);

    /// <summary>ACL WHOAMI</summary>
    public static void WhoAmI(SessionExecution execution) =>
        execution.Reply.Bulk(Encoding.Latin1.GetBytes(execution.Session.User));

    /// <summary>ACL LOAD: all users of the file, or none where a line is wrong. The disk keeps no loop
    /// waiting.</summary>
    public static Outcome Load(SessionExecution execution)
    {
        var steps = new LoadSteps();
        if (execution.MustLeaveKeys(long.MaxValue))
            return execution.StoreLater(steps);
        if (steps.TryBuild(execution))
            steps.Store(execution);
        return Outcome.Done;
    }

    /// <summary>ACL SAVE</summary>
    public static Outcome Save(SessionExecution execution)
    {
        if (execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        ReplyOutcome(execution, execution.Engine.Access.Files.Save());
        return Outcome.Done;
    }

    /// <summary>ACL LOG [count | RESET]</summary>
    public static void Log(SessionExecution execution)
    {
        AclLog log = execution.Engine.Access.Log;
        long count = ShownCount;
        if (execution.ArgumentCount > ArgumentFirst + 1)
        {
            SubcommandError.Reply(execution);
            return;
        }

        if (execution.ArgumentCount > ArgumentFirst && execution.Is(ArgumentFirst, "reset"u8))
        {
            log.Clear();
            execution.Reply.Ok();
            return;
        }

        if (execution.ArgumentCount > ArgumentFirst && !execution.TryInteger(ArgumentFirst, out count))
            return;
        AclReplies.Log(execution, log.Newest(Math.Max(count, 0)));
    }

    /// <summary>ACL SETUSER username [rule ...]: all rules, or none.</summary>
    public static void SetUser(SessionExecution execution)
    {
        string name = TextOf(execution, ArgumentFirst);
        if (!UserTable.IsNameValid(name))
        {
            execution.Reply.Error("ERR Usernames can't contain spaces or null characters"u8);
            return;
        }

        ReplyOutcome(execution, execution.Engine.Access.Change(
            name, TextsFrom(execution, ArgumentFirst + 1)));
    }

    private static void CloseIfDeleted(SessionExecution execution)
    {
        if (execution.Session.Account.IsDeleted)
            execution.Session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
    }

    private static void ReplyOutcome(SessionExecution execution, string? error)
    {
        if (error is null)
            execution.Reply.Ok();
        else
            execution.Reply.Error(Encoding.Latin1.GetBytes(error));
    }

    // The users change on the loop: it closes sessions behind the reply.
    private sealed class LoadSteps : StoreSteps
    {
        private List<User> _users = [];

        public override bool TryBuild(Execution execution)
        {
            var given = (SessionExecution)execution;
            if (given.Engine.Access.Files.Read(out _users) is not { } error)
                return true;
            ReplyOutcome(given, error);
            return false;
        }

        public override void Store(Execution execution)
        {
            var given = (SessionExecution)execution;
            given.Engine.Access.ReplaceAll(_users);
            ReplyOutcome(given, error: null);
            CloseIfDeleted(given);
        }

        public override void Drop() => _users = [];
    }

    private static string TextOf(SessionExecution execution, int index) =>
        Encoding.Latin1.GetString(execution.Argument(index));

    private static List<string> TextsFrom(SessionExecution execution, int index)
    {
        List<string> texts = [];
        for (; index < execution.ArgumentCount; index++)
            texts.Add(TextOf(execution, index));
        return texts;
    }
}

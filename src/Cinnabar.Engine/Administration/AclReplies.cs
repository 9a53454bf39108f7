using Cinnabar.Engine.Access;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Logging;
using Cinnabar.Security.Rules;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Administration;

/// <summary>Writes the replies of ACL.</summary>
internal static class AclReplies
{
    private static ReadOnlySpan<byte> DryRunStart => "This user has no permissions to "u8;

    /// <summary>The names of all categories.</summary>
    public static void Categories(SessionExecution execution)
    {
        AclCategories[] all = Enum.GetValues<AclCategories>();
        execution.Reply.ArrayHeader(all.Length - 1);
        foreach (AclCategories category in all)
        {
            if (category != AclCategories.None)
                execution.Reply.Bulk(Encoding.ASCII.GetBytes(category.ToString().ToLowerInvariant()));
        }
    }

    /// <summary>A text of each user.</summary>
    public static void Texts(
        SessionExecution execution, IEnumerable<UserAccount> users, Func<UserAccount, string> text)
    {
        List<UserAccount> all = [.. users];
        execution.Reply.ArrayHeader(all.Count);
        foreach (UserAccount account in all)
            Bulk(execution, text(account));
    }

    /// <summary>What ACL DRYRUN says of a command that is not allowed.</summary>
    public static byte[] DryRunText(AccessDenial denial, CommandSpec spec, ArgumentList arguments) =>
        denial.Reason switch
        {
            DenialReason.Command => [.. DryRunStart, .. "run the '"u8, .. spec.NameBytes, .. "' command"u8],
            DenialReason.Database => [.. DryRunStart, .. "access database "u8,
                .. arguments[denial.Index].Span],
            _ => [.. DryRunStart, .. "access the '"u8, .. arguments[denial.Index].Span,
                .. denial.Reason == DenialReason.Key ? "' key"u8 : "' channel"u8],
        };

    /// <summary>The rules of a user, field by field.</summary>
    public static void User(SessionExecution execution, User user)
    {
        // Valkey's field of databases; Redis has none, so users of all databases are shown without it.
        bool hasDatabases = false;
        foreach (Selector selector in user.Selectors)
            hasDatabases |= !selector.HasAllDatabases;
        execution.Reply.MapHeader(hasDatabases ? 7 : 6);
        execution.Reply.Bulk("flags"u8);
        execution.Reply.SetHeader(user.Flags.Count);
        foreach (string flag in user.Flags)
            Bulk(execution, flag);
        execution.Reply.Bulk("passwords"u8);
        execution.Reply.ArrayHeader(user.Passwords.Count);
        foreach (PasswordHash password in user.Passwords)
            Bulk(execution, password.ToString());
        Permissions(execution, user.Selectors[0], hasDatabases);
        execution.Reply.Bulk("selectors"u8);
        execution.Reply.ArrayHeader(user.Selectors.Length - 1);
        foreach (Selector selector in user.Selectors[1..])
        {
            execution.Reply.MapHeader(hasDatabases ? 4 : 3);
            Permissions(execution, selector, hasDatabases);
        }
    }

    /// <summary>Entries of ACL LOG.</summary>
    public static void Log(SessionExecution execution, List<AclLogEntry> entries)
    {
        long nowMs = execution.Engine.Clock.UnixMicroseconds / 1000;
        execution.Reply.ArrayHeader(entries.Count);
        foreach (AclLogEntry entry in entries)
        {
            execution.Reply.MapHeader(10);
            Field(execution, "count"u8, entry.Count);
            Field(execution, "reason"u8, ReasonWord(entry.Reason));
            Field(execution, "context"u8, PlaceWord(entry.Place));
            Field(execution, "object"u8, entry.Subject);
            Field(execution, "username"u8, entry.UserName);
            execution.Reply.Bulk("age-seconds"u8);
            execution.Reply.Double(Math.Max(nowMs - entry.UpdatedMs, 0) / 1000.0);
            Field(execution, "client-info"u8, entry.Client);
            Field(execution, "entry-id"u8, entry.Id);
            Field(execution, "timestamp-created"u8, entry.CreatedMs);
            Field(execution, "timestamp-last-updated"u8, entry.UpdatedMs);
        }
    }

    private static void Permissions(SessionExecution execution, Selector selector, bool hasDatabases)
    {
        Field(execution, "commands"u8, SelectorText.Commands(selector));
        Field(execution, "keys"u8, SelectorText.Keys(selector));
        Field(execution, "channels"u8, SelectorText.Channels(selector));
        if (hasDatabases)
            Field(execution, "databases"u8, SelectorText.Databases(selector));
    }

    private static void Field(SessionExecution execution, ReadOnlySpan<byte> name, string value)
    {
        execution.Reply.Bulk(name);
        Bulk(execution, value);
    }

    private static void Field(SessionExecution execution, ReadOnlySpan<byte> name, long value)
    {
        execution.Reply.Bulk(name);
        execution.Reply.Integer(value);
    }

    private static void Bulk(SessionExecution execution, string text) =>
        execution.Reply.Bulk(Encoding.Latin1.GetBytes(text));

    private static string ReasonWord(DenialReason reason) => reason switch
    {
        DenialReason.Command => "command",
        DenialReason.Key => "key",
        DenialReason.Channel => "channel",
        DenialReason.Authentication => "auth",
        DenialReason.Certificate => "tls-cert",
        DenialReason.Database => "database",
        _ => throw new ArgumentOutOfRangeException(nameof(reason), reason, "a denial has a reason"),
    };

    private static string PlaceWord(DenialPlace place) => place switch
    {
        DenialPlace.Transaction => "multi",
        DenialPlace.Script => "lua",
        _ => "toplevel",
    };
}

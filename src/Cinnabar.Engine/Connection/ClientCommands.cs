using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>The subcommands of CLIENT that concern the session itself.</summary>
internal static class ClientCommands
{
    /// <summary>CLIENT CAPA capability [capability ...]; unknown ones are ignored.</summary>
    public static void Capa(SessionExecution execution)
    {
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "redirect"u8))
                execution.Session.Capabilities |= Session.RedirectCapability;
        }

        execution.Reply.Ok();
    }

    /// <summary>CLIENT GETNAME</summary>
    public static void GetName(SessionExecution execution)
    {
        if (execution.Session.Name.Length == 0)
            execution.Reply.Null();
        else
            execution.Reply.Bulk(execution.Session.Name);
    }

    /// <summary>CLIENT ID</summary>
    public static void Id(SessionExecution execution) => execution.Reply.Integer(execution.Session.Id);

    /// <summary>CLIENT INFO</summary>
    public static void Info(SessionExecution execution)
    {
        using var text = new InfoText();
        ClientDescription.Append(text, execution.Session, execution.Engine.Clock.UnixMicroseconds / 1000);
        execution.Reply.Verbatim("txt"u8, text.Written);
    }

    /// <summary>CLIENT NO-EVICT ON|OFF</summary>
    public static void NoEvict(SessionExecution execution)
    {
        if (!TrySwitch(execution, out bool isOn))
            return;
        execution.Session.IsNoEvict = isOn;
        execution.Reply.Ok();
    }

    /// <summary>CLIENT NO-TOUCH ON|OFF</summary>
    public static void NoTouch(SessionExecution execution)
    {
        if (!TrySwitch(execution, out bool isOn))
            return;
        execution.Session.ChangeFlags(isOn ? SessionFlags.NoTouch : 0, isOn ? 0 : SessionFlags.NoTouch);
        execution.Reply.Ok();
    }

    /// <summary>CLIENT IMPORT-SOURCE ON|OFF: whether the session sees keys past their deadline while
    /// <c>import-mode</c> keeps them.</summary>
    public static void ImportSource(SessionExecution execution)
    {
        if (!execution.Engine.Keyspace.IsImporting && !execution.Is(2, "off"u8))
        {
            execution.Reply.Error("ERR Server is not in import mode"u8);
            return;
        }

        if (!TrySwitch(execution, out bool isOn))
            return;
        execution.Session.ChangeFlags(
            isOn ? SessionFlags.ImportSource : 0, isOn ? 0 : SessionFlags.ImportSource);
        execution.Reply.Ok();
    }

    /// <summary>CLIENT REPLY ON|OFF|SKIP; only ON is answered.</summary>
    public static void Reply(SessionExecution execution)
    {
        Session session = execution.Session;
        if (execution.Is(2, "on"u8))
        {
            session.ChangeFlags(SessionFlags.None, SessionFlags.RepliesOff | SessionFlags.SkipReply);
            if (execution.Reply.IsMuted)
                execution.Reply.Unmute();
            execution.Reply.Ok();
        }
        else if (execution.Is(2, "off"u8))
        {
            session.ChangeFlags(SessionFlags.RepliesOff, SessionFlags.None);
            // In a transaction it also silences the commands behind it.
            ((Loop)execution.Loop).Gate.Mute(execution);
        }
        else if (!execution.Is(2, "skip"u8))
        {
            execution.Reply.Error(Errors.Syntax);
        }
        else if ((session.Flags & SessionFlags.RepliesOff) == 0)
        {
            session.ChangeFlags(SessionFlags.SkipNextReply, SessionFlags.None);
        }
    }

    /// <summary>CLIENT SETINFO LIB-NAME|LIB-VER value</summary>
    public static void SetInfo(SessionExecution execution)
    {
        bool isName = execution.Is(2, "lib-name"u8);
        if (!isName && !execution.Is(2, "lib-ver"u8))
        {
            execution.Reply.Error("ERR Unrecognized option '"u8, execution.Argument(2), "'"u8);
            return;
        }

        ReadOnlySpan<byte> value = execution.Argument(3);
        if (!ConnectionCommands.IsNameValid(value))
        {
            execution.Reply.Error("ERR "u8, execution.Argument(2),
                " cannot contain spaces, newlines or special characters."u8);
            return;
        }

        Session session = execution.Session;
        byte[] library = isName ? value.ToArray() : session.LibraryName;
        byte[] version = isName ? session.LibraryVersion : value.ToArray();
        execution.Engine.Sessions.Rename(session, session.Name, library, version);
        execution.Reply.Ok();
    }

    /// <summary>CLIENT SETNAME name; an empty one removes the name.</summary>
    public static void SetName(SessionExecution execution)
    {
        ReadOnlySpan<byte> name = execution.Argument(2);
        if (!ConnectionCommands.IsNameValid(name))
        {
            execution.Reply.Error(ConnectionCommands.InvalidName);
            return;
        }

        Session session = execution.Session;
        execution.Engine.Sessions.Rename(
            session, name.ToArray(), session.LibraryName, session.LibraryVersion);
        execution.Reply.Ok();
    }

    private static bool TrySwitch(SessionExecution execution, out bool isOn)
    {
        isOn = execution.Is(2, "on"u8);
        if (isOn || execution.Is(2, "off"u8))
            return true;
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}

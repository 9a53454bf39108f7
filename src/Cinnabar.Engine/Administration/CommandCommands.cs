using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Rules;

namespace Cinnabar.Engine.Administration;

/// <summary>
/// COMMAND and its subcommands: what the specs say. Renamed commands are found by their new names and shown
/// under their own, disabled ones are not shown.
/// </summary>
internal static class CommandCommands
{
    /// <summary>COMMAND: the entries of all commands.</summary>
    public static void All(SessionExecution execution)
    {
        ReadOnlySpan<CommandSpec> commands = execution.Engine.Commands.All;
        execution.Reply.ArrayHeader(commands.Length);
        foreach (CommandSpec spec in commands) SpecReply.Write(ref execution.Reply, spec.InfoTree);
    }

    /// <summary>COMMAND INFO [name ...]: the entries of commands, null for what is none.</summary>
    public static void Info(SessionExecution execution)
    {
        if (execution.ArgumentCount == 2)
        {
            All(execution);
            return;
        }

        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        for (int i = 2; i < execution.ArgumentCount; i++)
        {
            CommandSpec? spec = execution.Engine.Commands.FindFull(execution.Argument(i));
            if (spec == null) execution.Reply.Null();
            else SpecReply.Write(ref execution.Reply, spec.InfoTree);
        }
    }

    /// <summary>COMMAND DOCS [name ...]: the documentation of those that exist.</summary>
    public static void Docs(SessionExecution execution)
    {
        CommandTable table = execution.Engine.Commands;
        if (execution.ArgumentCount == 2)
        {
            execution.Reply.MapHeader(table.All.Length);
            foreach (CommandSpec spec in table.All) WriteDocs(execution, spec);
            return;
        }

        long count = 0;
        for (int i = 2; i < execution.ArgumentCount; i++)
            count += table.FindFull(execution.Argument(i)) == null ? 0 : 1;
        execution.Reply.MapHeader(count);
        for (int i = 2; i < execution.ArgumentCount; i++)
        {
            CommandSpec? spec = table.FindFull(execution.Argument(i));
            if (spec != null) WriteDocs(execution, spec);
        }
    }

    /// <summary>COMMAND COUNT.</summary>
    public static void Count(SessionExecution execution) =>
        execution.Reply.Integer(execution.Engine.Commands.All.Length);

    /// <summary>COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern].</summary>
    public static void List(SessionExecution execution)
    {
        ReadOnlySpan<CommandSpec> commands = execution.Engine.Commands.All;
        ref ReplyWriter reply = ref execution.Reply;
        if (execution.ArgumentCount == 2)
            SpecReply.WriteNames(ref reply, commands, null, "*"u8);
        else if (execution.ArgumentCount != 5 || !execution.Is(2, "filterby"u8))
            reply.Error(Errors.Syntax);
        else if (execution.Is(3, "module"u8))
            reply.ArrayHeader(0);
        else if (execution.Is(3, "aclcat"u8))
            SpecReply.WriteNames(ref reply, commands, AclCategoryNames.Find(execution.Argument(4)), "*"u8);
        else if (execution.Is(3, "pattern"u8))
            SpecReply.WriteNames(ref reply, commands, null, execution.Argument(4));
        else
            reply.Error(Errors.Syntax);
    }

    /// <summary>COMMAND GETKEYS command [argument ...]: the keys of a command line.</summary>
    public static void GetKeys(SessionExecution execution) => ReplyKeys(execution, false);

    /// <summary>COMMAND GETKEYSANDFLAGS command [argument ...]: the keys and what is done to them.</summary>
    public static void GetKeysAndFlags(SessionExecution execution) => ReplyKeys(execution, true);

    private static void WriteDocs(SessionExecution execution, CommandSpec spec)
    {
        execution.Reply.Bulk(spec.NameBytes);
        SpecReply.Write(ref execution.Reply, spec.DocsTree);
    }

    private static void ReplyKeys(SessionExecution execution, bool withFlags)
    {
        ref ReplyWriter reply = ref execution.Reply;
        ArgumentList line = execution.Arguments.Skip(2);
        CommandSpec? spec = execution.Engine.Commands.Find(line);
        if (spec == null)
        {
            reply.Error("ERR Invalid command specified"u8);
            return;
        }

        if (!spec.HasKeys)
        {
            reply.Error("ERR The command has no key arguments"u8);
            return;
        }

        if (!spec.AcceptsCount(line.Count))
        {
            reply.Error("ERR Invalid number of arguments specified for command"u8);
            return;
        }

        int count = 0;
        var found = new KeyArguments(spec, line);
        while (found.MoveNext()) count++;
        bool mayLackKeys = (spec.Flags & CommandFlags.NoMandatoryKeys) != 0;
        // A number of keys that does not fit is none.
        if (found.IsMisfit)
            count = 0;
        if (count == 0 && !mayLackKeys)
        {
            reply.Error("ERR Invalid arguments specified for command"u8);
            return;
        }

        reply.ArrayHeader(count);
        for (var keys = new KeyArguments(spec, line); count > 0 && keys.MoveNext();)
        {
            if (withFlags) reply.ArrayHeader(2);
            reply.Bulk(line[keys.Current].Span);
            if (withFlags) SpecReply.WriteKeyFlags(ref reply, VariableKeyFlags.Of(spec, keys.Flags, line));
        }
    }
}

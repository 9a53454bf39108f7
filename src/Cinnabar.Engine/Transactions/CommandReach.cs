using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripts;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Transactions;

/// <summary>The flags of a command with those that it runs: EXEC runs the queued ones, and a script's first
/// line or a function's flags say what EVAL or FCALL does.</summary>
internal static class CommandReach
{
    // What a script says about itself takes the place of these flags of the command that runs it.
    private const CommandFlags SaidByScripts = CommandFlags.Write | CommandFlags.DenyOom
        | CommandFlags.Stale | CommandFlags.MayReplicate;

    /// <summary>Whether a command, or one that EXEC would run, has one of these flags.</summary>
    public static bool Has(SessionExecution execution, CommandFlags flags)
    {
        CommandFlags own = execution.Spec.Flags;
        // Finding a script takes a while.
        if ((own & flags & ~SaidByScripts) == 0 && (flags & SaidByScripts) != 0)
            own = FlagsOf(execution);
        if ((own & flags) != 0)
            return true;
        if (!execution.Spec.RunsTransaction || execution.Session.Transaction is not { } transaction)
            return false;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            if ((queued.Flags & flags) != 0)
                return true;
        }

        return false;
    }

    /// <summary>Whether a command, or one that EXEC would run, does not have this flag.</summary>
    public static bool Lacks(SessionExecution execution, CommandFlags flag)
    {
        if ((FlagsOf(execution) & flag) == 0)
            return true;
        if (!execution.Spec.RunsTransaction || execution.Session.Transaction is not { } transaction)
            return false;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            if ((queued.Flags & flag) == 0)
                return true;
        }

        return false;
    }

    /// <summary>The flags of a command, as the script that it runs says them.</summary>
    public static CommandFlags FlagsOf(SessionExecution execution)
    {
        CommandSpec spec = execution.Spec;
        if (!spec.RunsScript || FindScript(execution, spec) is not { } said)
            return spec.Flags;
        CommandFlags flags = spec.Flags & ~SaidByScripts;
        if ((said & ScriptFlags.NoWrites) == 0)
            flags |= CommandFlags.Write;
        if ((said & (ScriptFlags.NoWrites | ScriptFlags.AllowOom)) == 0)
            flags |= CommandFlags.DenyOom;
        if ((said & ScriptFlags.AllowStale) != 0)
            flags |= CommandFlags.Stale;
        return flags;
    }

    // Null: it is not known, or says nothing.
    private static ScriptFlags? FindScript(SessionExecution execution, CommandSpec spec)
    {
        ReadOnlySpan<byte> name = execution.Argument(1);
        Runnable? known;
        if (spec.Has(CommandFlags.RunsFunction))
            known = execution.Server.Libraries.Current.FindFunction(name);
        else if (spec.Has(CommandFlags.NamesDigest))
            known = execution.Server.Scripts.Find(name, execution.Loop.Index);
        else if (ScriptHeader.Read(name, out ScriptHeader header) is null && header.IsPresent)
            return header.Flags;
        else
            return null;
        return known is { HasFlags: true } ? known.Flags : null;
    }
}

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Scripting;
using Cinnabar.Engine.Scripting.Debugging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Engine.Sessions;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Administration;

/// <summary>EVAL and its like, and SCRIPT.</summary>
internal static class ScriptCommands
{
    private const int KeyCountIndex = 2;

    private static ReadOnlySpan<byte> NoScript => "NOSCRIPT No matching script. Please use EVAL."u8;

    /// <summary>EVAL script numkeys [key ...] [arg ...]</summary>
    public static Outcome Eval(SessionExecution execution) => Run(execution, isReadOnly: false);

    /// <summary>EVAL_RO script numkeys [key ...] [arg ...]</summary>
    public static Outcome EvalReadOnly(SessionExecution execution) => Run(execution, isReadOnly: true);

    /// <summary>EVALSHA sha1 numkeys [key ...] [arg ...]</summary>
    public static Outcome EvalSha(SessionExecution execution) => RunKnown(execution, isReadOnly: false);

    /// <summary>EVALSHA_RO sha1 numkeys [key ...] [arg ...]</summary>
    public static Outcome EvalShaReadOnly(SessionExecution execution) =>
        RunKnown(execution, isReadOnly: true);

    /// <summary>SCRIPT LOAD script</summary>
    public static void Load(SessionExecution execution)
    {
        if (FindOrCompile(execution, execution.Argument(2), isPinned: true) is { } script)
            execution.Reply.Bulk(Encoding.ASCII.GetBytes(script.Name));
    }

    /// <summary>SCRIPT SHOW sha1</summary>
    public static void Show(SessionExecution execution)
    {
        if (Find(execution, 2) is { } script)
            execution.Reply.Bulk(script.Source);
        else
            execution.Reply.Error(NoScript);
    }

    /// <summary>SCRIPT EXISTS sha1 [sha1 ...]</summary>
    public static void Exists(SessionExecution execution)
    {
        int count = execution.ArgumentCount - 2;
        execution.Reply.ArrayHeader(count);
        for (int index = 0; index < count; index++)
            execution.Reply.Integer(Find(execution, 2 + index) is null ? 0 : 1);
    }

    /// <summary>SCRIPT FLUSH [ASYNC | SYNC]</summary>
    public static void Flush(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3
            || (execution.ArgumentCount == 3 && !execution.Is(2, "async"u8) && !execution.Is(2, "sync"u8)))
        {
            execution.Reply.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option"u8);
            return;
        }

        execution.Engine.Scripts.Clear();
        execution.Engine.ScriptMachines.Clear();
        execution.Reply.Ok();
    }

    /// <summary>SCRIPT KILL</summary>
    public static void Kill(SessionExecution execution) => ScriptKill.Run(execution, isFunction: false);

    /// <summary>SCRIPT DEBUG YES | SYNC | NO</summary>
    public static void DebugNext(SessionExecution execution)
    {
        bool isSync = execution.Is(2, "sync"u8);
        if (execution.Place == ExecutionPlace.Nested)
        {
            execution.Reply.Error("ERR SCRIPT DEBUG must be called outside a pipeline"u8);
        }
        else if (isSync || execution.Is(2, "yes"u8) || execution.Is(2, "no"u8))
        {
            execution.Session.Debugging = execution.Is(2, "no"u8) ? null : new DebugChannel(isSync);
            execution.Reply.Ok();
        }
        else
        {
            execution.Reply.Error("ERR Use SCRIPT DEBUG YES/SYNC/NO"u8);
        }
    }

    private static Script? Find(SessionExecution execution, int index) =>
        execution.Engine.Scripts.Find(execution.Argument(index), execution.Loop.Index);

    private static Outcome RunKnown(SessionExecution execution, bool isReadOnly)
    {
        if (execution.Argument(1).Length != ScriptDigest.TextLength)
        {
            execution.Reply.Error(NoScript);
            return Outcome.Done;
        }

        if (IsDebugged(execution))
        {
            execution.Reply.Error("ERR Please use EVAL instead of EVALSHA for debugging"u8);
            return Outcome.Done;
        }

        if (!TryKeyCount(execution, out int keyCount))
            return Outcome.Done;
        if (Find(execution, 1) is { } script)
            return Run(execution, script, keyCount, isReadOnly);
        execution.Reply.Error(NoScript);
        return Outcome.Done;
    }

    // In a transaction there is no client to ask.
    private static bool IsDebugged(SessionExecution execution) =>
        execution.Session.Debugging is not null && execution.Place != ExecutionPlace.Nested;

    private static Outcome Run(SessionExecution execution, bool isReadOnly)
    {
        if (IsDebugged(execution))
            return RunDebugged(execution, isReadOnly);
        if (!TryKeyCount(execution, out int keyCount))
            return Outcome.Done;
        Script? script = FindOrCompile(execution, execution.Argument(1), isPinned: false);
        return script is null ? Outcome.Done : Run(execution, script, keyCount, isReadOnly);
    }

    // With all stripes, in the lane, whose thread waits for the client's commands. The session ends with the
    // script.
    private static Outcome RunDebugged(SessionExecution execution, bool isReadOnly)
    {
        ReplyMark start = execution.Reply.Save();
        execution.Reply.Raw("*1\r\n+<endsession>\r\n"u8);
        if (!TryKeyCount(execution, out int keyCount)
            || FindOrCompile(execution, execution.Argument(1), isPinned: false) is not { } script
            || ScriptAdmission.Refuses(execution, script, isReadOnly, out bool writesNothing))
        {
            execution.Session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
            return Outcome.Done;
        }

        execution.Reply.Rewind(start);
        ServerEngine engine = execution.Engine;
        if (execution.Stripes.Count != engine.Keyspace.Stripes.Length)
            return Outcome.AllStripes;
        if (execution.Place == ExecutionPlace.OnLoop)
        {
            execution.Session.Debugging!.Begin();
            return Outcome.OffLoop;
        }

        if (ScriptKill.Refuses(execution, script.Name, Script.ChunkName))
            return Outcome.Done;
        ScriptMachine machine = engine.ScriptMachines.Take(execution);
        var debugger = new ScriptDebugger(execution, script.Source);
        Outcome outcome = machine.RunScript(execution, script, keyCount, writesNothing, debugger);
        engine.ScriptMachines.Return(execution, machine);
        return outcome;
    }

    private static Outcome Run(SessionExecution execution, Script script, int keyCount, bool isReadOnly)
    {
        if (ScriptAdmission.Refuses(execution, script, isReadOnly, out bool writesNothing))
            return Outcome.Done;
        if (ScriptAdmission.MustMove(execution, script, out Outcome moving))
            return moving;
        ServerEngine engine = execution.Engine;
        if (ScriptKill.Refuses(execution, script.Name, Script.ChunkName))
            return Outcome.Done;
        ScriptMachine machine = engine.ScriptMachines.Take(execution);
        Outcome outcome = machine.RunScript(execution, script, keyCount, writesNothing);
        engine.ScriptMachines.Return(execution, machine);
        return outcome;
    }

    private static bool TryKeyCount(SessionExecution execution, out int keyCount)
    {
        keyCount = 0;
        if (!execution.TryInteger(KeyCountIndex, out long count))
            return false;
        keyCount = (int)count;
        return ScriptAdmission.IsKeyCount(execution, count);
    }

    // Null where an error was replied.
    private static Script? FindOrCompile(
        SessionExecution execution, ReadOnlySpan<byte> source, bool isPinned)
    {
        ScriptDigest digest = ScriptDigest.Of(source);
        if (execution.Engine.Scripts.Find(in digest) is not { } known)
            return Compile(execution, digest, source, isPinned);
        if (isPinned)
            execution.Engine.Scripts.Pin(known);
        return known;
    }

    private static Script? Compile(
        SessionExecution execution, ScriptDigest digest, ReadOnlySpan<byte> source, bool isPinned)
    {
        if (ScriptHeader.Read(source, out ScriptHeader header) is { } mistake)
        {
            execution.Reply.Error(Encoding.Latin1.GetBytes($"ERR {mistake}"));
            return null;
        }

        try
        {
            var prototype = LuaMachine.Compile(source[header.CodeStart..],
                execution.Engine.Scripts.ChunkName, execution.Engine.Scripts.Strings);
            var script = new Script(digest, source.ToArray(), header, prototype)
            {
                UsedNs = execution.Engine.Clock.MonotonicNanoseconds,
            };
            return execution.Engine.Scripts.Add(script, isPinned);
        }
        catch (LuaException exception)
        {
            execution.Reply.Error("ERR Error compiling script (new function): "u8,
                Encoding.Latin1.GetBytes(LuaErrorText.Of(exception.Value)), default);
            return null;
        }
    }
}

// DEBUG: tools for developers and tests, off unless enable-debug-command allows them (CommandGate asks). It
// runs under all stripes, so its reply is a consistent snapshot. SLEEP and a big POPULATE go to the slow lane
// and keep the stripes there: every command with a key waits, as on a server with one thread; PING and its
// like are answered.

using Cinnabar.Engine.Administration;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Debugging;

internal static class DebugCommands
{
    private const double SleepSecondsMax = 1_000_000;

    /// <summary>DEBUG subcommand [argument ...]</summary>
    public static Outcome Debug(SessionExecution execution)
    {
        Span<byte> name = stackalloc byte[32];
        ReadOnlySpan<byte> given = execution.Argument(1);
        int length = 0;
        if (given.Length <= name.Length)
            System.Text.Ascii.ToLower(given, name, out length);
        if (!TryRun(execution, Encoding.Latin1.GetString(name[..length]), out Outcome outcome))
        {
            execution.Reply.Error("ERR unknown subcommand or wrong number of arguments for '"u8, given,
                "'. Try DEBUG HELP."u8);
        }

        return outcome;
    }

    private static void ChangeReplicationId(SessionExecution execution)
    {
        execution.Engine.Log.Write(
            LogLevel.Notice, "Changing replication IDs after receiving change-repl-id");
        execution.Engine.Replication.Rename();
        execution.Reply.Ok();
    }

    private static bool TryRun(SessionExecution execution, string name, out Outcome outcome)
    {
        outcome = Outcome.Done;
        switch (name, execution.ArgumentCount)
        {
            case ("change-repl-id", 2):
                ChangeReplicationId(execution);
                return true;
            case ("client-eviction", 2):
                DebugClients.ReplyBuckets(execution);
                return true;
            case ("config-rewrite-force-all", 2):
                ConfigCommands.Rewrite(execution, isComplete: true);
                return true;
            case ("client-enforce-reply-list", 3):
            case ("dict-resizing", 3):
                execution.Reply.Ok();
                return true;
            case ("error", 3):
                execution.Reply.Error(execution.Argument(2));
                return true;
            case ("help", 2):
                SpecReply.Write(ref execution.Reply, execution.Spec.HelpTree);
                return true;
            case ("loadaof", 2):
                outcome = DebugLoadAof.Run(execution);
                return true;
            case ("log", 3):
            case ("replicate", >= 3):
                (name == "log" ? (Action<SessionExecution>)Log : Replicate)(execution);
                return true;
            case ("aof-flush-sleep", 3):
                return TrySleepInWrites(execution);
            case ("assert", 2):
            case ("panic", 2):
            case ("segfault", 2):
            case ("stack-overflow", 2):
                DebugFaults.Crash(execution, name);
                return true;
            case ("catch", 3):
                return DebugFaults.TryCatch(execution, execution.Argument(2));
            case ("protocol", 3):
                DebugProtocol.Reply(execution);
                return true;
            case ("quicklist-packed-threshold", 3):
                AcceptPackedThreshold(execution);
                return true;
            case ("reload", >= 2):
                outcome = DebugReload.Run(execution);
                return true;
            case ("replybuffer", 4):
                return TryReplyBuffer(execution);
            case ("pause-cron", 3):
            case ("set-active-expire", 3):
            case ("set-disable-deny-scripts", 3):
            case ("set-skip-checksum-validation", 3):
                Switch(execution.Engine, name, IsNonZero(execution.Argument(2)));
                execution.Reply.Ok();
                return true;
            case ("sleep", 3):
                outcome = Sleep(execution);
                return true;
            case ("stringmatch-len", 4):
                MatchGlob(execution);
                return true;
            default:
                return DebugKeys.TryRun(execution, name, out outcome);
        }
    }

    private static void Switch(ServerEngine engine, string name, bool isOn)
    {
        if (name == "pause-cron")
            engine.Cron.IsPaused = isOn;
        else if (name == "set-active-expire")
            engine.Keyspace.IsActiveExpiryEnabled = isOn;
        else if (name == "set-disable-deny-scripts")
            engine.ScriptMachines.AllowsDeniedCommands = isOn;
        else
            engine.Data.Reading.IsUnchecked = isOn;
    }

    // The command is neither executed nor recorded here, and there need be no such one.
    private static void Replicate(SessionExecution execution)
    {
        var words = new string[execution.ArgumentCount - 2];
        for (int index = 0; index < words.Length; index++)
            words[index] = Encoding.Latin1.GetString(execution.Argument(index + 2));
        execution.Engine.Data.Journal.AppendForReplicas(CommandText.Of(words));
        execution.Reply.Ok();
    }

    private static void Log(SessionExecution execution)
    {
        string message = Encoding.Latin1.GetString(execution.Argument(2));
        execution.Engine.Log.Write(LogLevel.Warning, $"DEBUG LOG: {message}");
        execution.Reply.Ok();
    }

    private static void MatchGlob(SessionExecution execution)
    {
        bool isMatch = GlobPattern.Matches(execution.Argument(2), execution.Argument(3));
        execution.Reply.Integer(isMatch ? 1 : 0);
    }

    private static bool TrySleepInWrites(SessionExecution execution)
    {
        _ = RedisNumber.TryParseInt64(execution.Argument(2), out long sleepUs);
        execution.Engine.Data.Journal.SleepUs = Math.Max(0, sleepUs);
        execution.Reply.Ok();
        return true;
    }

    private static Outcome Sleep(SessionExecution execution)
    {
        if (execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        string text = Encoding.Latin1.GetString(execution.Argument(2));
        _ = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double seconds);
        if (seconds > 0)
            Thread.Sleep(TimeSpan.FromSeconds(Math.Min(seconds, SleepSecondsMax)));
        execution.Reply.Ok();
        return Outcome.Done;
    }

    private static void AcceptPackedThreshold(SessionExecution execution)
    {
        bool isSize = MemoryText.TryParse(Encoding.Latin1.GetString(execution.Argument(2)), out ulong size);
        if (isSize && size <= uint.MaxValue)
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR argument must be a memory value bigger than 1 and smaller than 4gb"u8);
    }

    private static bool TryReplyBuffer(SessionExecution execution)
    {
        if (execution.Is(2, "peak-reset-time"u8))
        {
            bool isWord = execution.Is(3, "never"u8) || execution.Is(3, "reset"u8);
            if (!isWord && !execution.TryInteger(3, out _))
                return true;
        }
        else if (!execution.Is(2, "resizing"u8))
        {
            return false;
        }

        execution.Reply.Ok();
        return true;
    }

    /// <summary>Whether C's atoi returns something other than zero for an argument.</summary>
    private static bool IsNonZero(ReadOnlySpan<byte> argument)
    {
        ReadOnlySpan<byte> digits = argument.TrimStart("+- \t"u8);
        int end = digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return (end < 0 ? digits : digits[..end]).IndexOfAnyExcept((byte)'0') >= 0;
    }
}

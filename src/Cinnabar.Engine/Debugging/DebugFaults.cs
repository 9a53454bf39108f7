using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Debugging;

/// <summary>
/// DEBUG ASSERT, PANIC, SEGFAULT, STACK-OVERFLOW and CATCH: deliberate faults. Those that end a Redis process
/// end ours if it is the server's own; an embedded server ends alone.
/// </summary>
internal static unsafe class DebugFaults
{
    // Above the addresses that the runtime takes for a null reference, below all mappings.
    private const nint BadAddress = 0x100000;

    /// <summary>Ends the process, or the server with an exception.</summary>
    /// <exception cref="InvalidOperationException">The server is embedded.</exception>
    public static void Crash(SessionExecution execution, string name)
    {
        ServerEngine engine = execution.Engine;
        if (engine.CrashReport is null)
            throw new InvalidOperationException($"a fault on purpose: DEBUG {name.ToUpperInvariant()}");
        switch (name)
        {
            case "assert":
                engine.Log.Write(LogLevel.Warning, "=== ASSERTION FAILED ===");
                engine.Log.Write(LogLevel.Warning, "==> DEBUG ASSERT: '1 == 2' is not true");
                Environment.FailFast("DEBUG ASSERT");
                break;
            case "panic":
                engine.Log.Write(LogLevel.Warning, "------------------------------------------------");
                engine.Log.Write(
                    LogLevel.Warning, "!!! Software Failure. Press left mouse button to continue");
                engine.Log.Write(LogLevel.Warning, "Guru Meditation: DEBUG PANIC called at Unix time "
                    + engine.Clock.UnixMicroseconds / 1_000_000);
                Environment.FailFast("DEBUG PANIC");
                break;
            case "segfault":
                // SAFETY: none: that is the purpose.
                *(byte*)BadAddress = (byte)'x';
                break;
            default:
                Descend(0);
                break;
        }
    }

    /// <summary>Replies which exception the runtime throws for a processor fault.</summary>
    /// <returns>False where there is no such fault.</returns>
    public static bool TryCatch(SessionExecution execution, ReadOnlySpan<byte> fault)
    {
        try
        {
            if (fault.SequenceEqual("null"u8))
                Dereference(null!);
            else if (fault.SequenceEqual("zero"u8))
                Divide(1, fault.Length - 4);
            else
                return false;
        }
        catch (Exception thrown) when (thrown is NullReferenceException or DivideByZeroException)
        {
            execution.Reply.SimpleString(thrown is NullReferenceException
                ? "NullReferenceException"u8 : "DivideByZeroException"u8);
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Dereference(string text) => text.Length;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Divide(int dividend, int divisor) => dividend / divisor;

    // The addition keeps the compiler from turning the recursion into a loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Descend(long depth) => depth < 0 ? 0 : Descend(depth + 1) + depth;
}

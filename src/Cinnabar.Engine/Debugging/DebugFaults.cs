using System;
using System.Runtime.CompilerServices;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Debugging;

/// <summary>
/// DEBUG ASSERT, PANIC, SEGFAULT, STACK-OVERFLOW and CATCH: faults on purpose. Those that end a Redis end the
/// process where it is the server's own; a server that is a guest in its process ends alone.
/// </summary>
internal static unsafe class DebugFaults
{
    // Above what the runtime takes for a null reference, below all that a process has mapped.
    private const nint BadAddress = 0x100000;

    /// <summary>Ends the process, or the server with an exception.</summary>
    /// <exception cref="InvalidOperationException">The server is a guest.</exception>
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

    /// <summary>Replies which exception the runtime makes of a fault of the processor.</summary>
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

    // The sum keeps the compiler from making a loop of it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Descend(long depth) => depth < 0 ? 0 : Descend(depth + 1) + depth;
}

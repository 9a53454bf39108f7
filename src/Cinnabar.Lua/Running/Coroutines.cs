using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// Resumes and yields. To resume is to run the coroutine's thread in a nested loop of the interpreter; to
/// yield is to return from that loop and leave the rows of the thread's calls as they are. So a coroutine
/// cannot yield where a host function or metamethod stands between it and the resume: that is 5.1's rule too.
/// </summary>
internal static class Coroutines
{
    /// <summary>What a host function returns to have the thread yield.</summary>
    public const int Yielded = -1;

    /// <summary>Runs a coroutine until it yields, returns or fails.</summary>
    /// <param name="from">The thread that resumes it.</param>
    /// <param name="thread">The coroutine.</param>
    /// <param name="arguments">What it is given.</param>
    /// <param name="results">What it gives; or one value, the error.</param>
    /// <returns>Whether it did not fail.</returns>
    public static bool TryResume(LuaThread from, LuaThread thread, ReadOnlySpan<LuaValue> arguments,
        out ReadOnlySpan<LuaValue> results)
    {
        LuaMachine machine = from.Machine;
        if (thread.Status != ThreadStatus.Suspended)
            return Fail($"cannot resume {NameOf(thread.Status)} coroutine", out results);
        if (machine.HostDepth >= LuaMachine.HostDepthMax) return Fail("C stack overflow", out results);
        int hostDepth = machine.HostDepth++;
        thread.HostDepthAtResume = machine.HostDepth;
        Enter(from, ThreadStatus.Normal);
        Enter(thread, ThreadStatus.Running);
        machine.CurrentThread = thread;
        machine.Resumers.Push(from);
        try
        {
            results = GoOn(thread, arguments);
            return true;
        }
        catch (LuaException exception)
        {
            Enter(thread, ThreadStatus.Dead);
            thread.CloseUpvalues(0);
            results = new LuaValue[] { exception.Value };
            return false;
        }
        finally
        {
            machine.Resumers.Pop();
            machine.HostDepth = hostDepth;
            machine.CurrentThread = from;
            Enter(from, ThreadStatus.Running);
        }
    }

    /// <summary>Has the thread of a call yield its arguments.</summary>
    public static int Yield(LuaCall call)
    {
        LuaThread thread = call.Thread;
        if (thread == thread.Machine.MainThread || thread.Machine.HostDepth > thread.HostDepthAtResume)
            throw thread.Error("attempt to yield across metamethod/C-call boundary");
        return Yielded;
    }

    /// <summary>The name of a state.</summary>
    public static string NameOf(ThreadStatus status) => status switch
    {
        ThreadStatus.Suspended => "suspended",
        ThreadStatus.Running => "running",
        ThreadStatus.Normal => "normal",
        _ => "dead",
    };

    private static void Enter(LuaThread thread, ThreadStatus status)
    {
        Debug.Assert(status == ThreadStatus.Running
            ? thread.Status is ThreadStatus.Suspended or ThreadStatus.Normal
            : thread.Status == ThreadStatus.Running, $"a thread goes from {thread.Status} to {status}");
        thread.Status = status;
    }

    private static bool Fail(string message, out ReadOnlySpan<LuaValue> results)
    {
        results = new[] { LuaValue.FromString(message) };
        return false;
    }

    // The coroutine's function lies at place 0 before its first resume; afterwards the call of yield is its
    // last row.
    private static ReadOnlySpan<LuaValue> GoOn(LuaThread thread, ReadOnlySpan<LuaValue> arguments)
    {
        int place = thread.Depth == 0 ? 0 : thread.Frames[thread.Depth].Place;
        int count;
        if (thread.Depth == 0)
        {
            thread.EnsureStack(1 + arguments.Length + LuaThread.HostSlack);
            arguments.CopyTo(thread.Stack.AsSpan(1));
            count = thread.Start(0, arguments.Length);
        }
        else
        {
            thread.Depth--;
            thread.EnsureStack(place + arguments.Length + LuaThread.HostSlack);
            arguments.CopyTo(thread.Stack.AsSpan(place));
            ref Frame caller = ref thread.Frames[thread.Depth];
            Instruction call = ((LuaClosure)caller.Function!).Prototype.Code[caller.Next - 1];
            Debug.Assert(call.Op is Op.Call or Op.TailCall);
            thread.TakeResults(place, arguments.Length, call.C - 1);
            count = Interpreter.Run(thread);
        }

        if (count == Yielded)
        {
            Enter(thread, ThreadStatus.Suspended);
            ref Frame frame = ref thread.Frames[thread.Depth];
            return thread.Stack.AsSpan(frame.Base, frame.Top - frame.Base);
        }

        Debug.Assert(thread.Depth == 0);
        Enter(thread, ThreadStatus.Dead);
        return thread.Stack.AsSpan(0, count);
    }
}

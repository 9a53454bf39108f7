namespace Cinnabar.Lua.Running;

/// <summary>What a host sets up a machine with.</summary>
public sealed class LuaOptions
{
    /// <summary>Bytes that a run may hold; 0: any number.</summary>
    public long MemoryMax { get; init; }

    /// <summary>Work between two calls of <see cref="Interrupt"/>: backward jumps, calls, and what libraries
    /// count with <see cref="LuaCall.Step"/>.</summary>
    public int InterruptSteps { get; init; } = 10_000;

    /// <summary>Called from time to time while a script runs, anywhere in it. It returns, or ends the run
    /// with a
    /// <see cref="Values.LuaInterruptException"/>.</summary>
    public Action? Interrupt { get; init; }

    /// <summary>Where <c>print</c> writes a line, without its end; null: nowhere.</summary>
    public Action<ReadOnlyMemory<byte>>? Print { get; init; }
}

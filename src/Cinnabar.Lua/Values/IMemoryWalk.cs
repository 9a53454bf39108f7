namespace Cinnabar.Lua.Values;

/// <summary>What a budget asks of its machine.</summary>
internal interface IMemoryWalk
{
    /// <summary>Walks over all that is reachable.</summary>
    long MeasureLive();

    /// <summary>The run has allocated much since the last call: it may be time for the interrupt.</summary>
    /// <exception cref="LuaAbortException">The run was ended.</exception>
    void Interrupt();
}

namespace Cinnabar.Lua.Values;

/// <summary>Finds out how many bytes a run can still reach.</summary>
internal interface IMemoryWalk
{
    /// <summary>Walks over all that is reachable.</summary>
    long MeasureLive();
}

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A key that a client of the model watches.</summary>
/// <param name="Place">The key.</param>
/// <param name="WasThere">Whether it was there when that began.</param>
/// <param name="IsHash">Whether it was a hash, whose fields may expire without a command.</param>
/// <param name="Era">When that began.</param>
internal sealed record WatchedKey(Place Place, bool WasThere, bool IsHash, int Era);

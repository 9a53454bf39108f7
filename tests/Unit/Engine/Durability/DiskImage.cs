using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>A disk after a power loss that came before one operation.</summary>
/// <param name="Files">What is left.</param>
/// <param name="HistoryLength">How many operations were before it.</param>
/// <param name="DurableCount">All units that were acknowledged before this one must be there.</param>
/// <param name="SentCount">None from this one on can be there.</param>
/// <param name="SavedCount">All of this life before this one must be in the RDB file.</param>
internal sealed record DiskImage(
    SimulatedFileSystem Files, int HistoryLength, int DurableCount, int SentCount, int SavedCount);

namespace Cinnabar.Bench.Load;

/// <summary>Requests that are sent in one piece: where they stand in their plan, in bytes; how many they are;
/// the size of all their replies together and the first byte of the first one.</summary>
internal readonly record struct PlanBatch(long Offset, int Size, int Count, int ReplySize, byte FirstByte);

// What is about to happen to one leaf. Bytes [0, Valid) mean something before, [0, Used) must mean something
// after; of those, [Start, Start + Count) will be overwritten by the caller, so need be neither kept nor
// cleared.
namespace Cinnabar.Structures.Blocks;

internal readonly record struct LeafEdit(int Valid, int Used, int Start, int Count);

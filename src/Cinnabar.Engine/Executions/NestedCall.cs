using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>A command of a transaction or a script that was executed, perhaps several times.</summary>
/// <param name="Spec">The command.</param>
/// <param name="ElapsedNs">How long it took in all, in nanoseconds.</param>
/// <param name="Count">How often it was called.</param>
/// <param name="FailedCount">How often it replied an error.</param>
/// <param name="RefusedCount">How often it was not called, but refused.</param>
internal readonly record struct NestedCall(
    CommandSpec Spec, long ElapsedNs, int Count, int FailedCount, int RefusedCount = 0);

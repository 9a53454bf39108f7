using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>A command of a transaction that was executed.</summary>
/// <param name="Spec">The command.</param>
/// <param name="ElapsedNs">How long it took, in nanoseconds.</param>
/// <param name="IsFailed">Whether it replied an error.</param>
internal readonly record struct NestedCall(CommandSpec Spec, long ElapsedNs, bool IsFailed);

namespace Cinnabar.Tests.Unit.Engine.Executions.Orders;

/// <summary>A command of a random run.</summary>
/// <param name="Words">Its words.</param>
/// <param name="IsWriting">Whether it may change keys.</param>
internal readonly record struct OrderCommand(string[] Words, bool IsWriting);

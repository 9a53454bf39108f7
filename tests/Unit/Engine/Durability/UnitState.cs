namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>What is known of a unit of <see cref="WrittenUnits"/>.</summary>
internal enum UnitState
{
    /// <summary>It has been sent, and no more is known.</summary>
    Sent,

    /// <summary>A client has seen that it was done.</summary>
    Acknowledged,

    /// <summary>A client has seen that it was not done.</summary>
    Refused,

    /// <summary>A server ended, and the next one had it no more.</summary>
    Gone,
}

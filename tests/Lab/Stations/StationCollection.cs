using Xunit;

namespace Cinnabar.Tests.Lab.Stations;

/// <summary>The tests that share the stations' processes, one after another.</summary>
[CollectionDefinition(Name)]
public sealed class StationCollection : ICollectionFixture<StationRuns>
{
    /// <summary>The collection's name.</summary>
    public const string Name = "stations";
}

using Xunit;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>The tests that share the F# servers, one after another.</summary>
[CollectionDefinition(Name)]
public sealed class FredisCollection : ICollectionFixture<FredisServers>
{
    /// <summary>The collection's name.</summary>
    public const string Name = "fredis";
}

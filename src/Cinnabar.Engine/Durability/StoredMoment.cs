namespace Cinnabar.Engine.Durability;

/// <summary>Where in a replication stream the data of a file were taken.</summary>
/// <param name="Id">The stream's name.</param>
/// <param name="Offset">Bytes before the place.</param>
/// <param name="Database">The database that is selected there.</param>
internal readonly record struct StoredMoment(string Id, long Offset, int Database);

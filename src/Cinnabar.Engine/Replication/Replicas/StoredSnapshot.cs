namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>A file that was saved to feed replicas.</summary>
/// <param name="Path">Its path.</param>
/// <param name="FileCount">How many saves had begun with it.</param>
internal readonly record struct StoredSnapshot(string Path, long FileCount);

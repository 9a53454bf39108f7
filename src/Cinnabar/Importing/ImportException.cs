namespace Cinnabar.Importing;

/// <summary>The import cannot go on now; the message is for the log.</summary>
internal sealed class ImportException(string message) : Exception(message);

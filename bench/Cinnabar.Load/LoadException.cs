using System;

namespace Cinnabar.Load;

/// <summary>A measurement that is void: wrong options, a reply that is none, a broken connection, a server
/// that does not start.</summary>
public sealed class LoadException(string message) : Exception(message);

using System;

namespace Cinnabar.Bench.Load;

/// <summary>A measurement that is void: a wrong reply, a broken connection, a server that does not
/// start.</summary>
internal sealed class LoadException(string message) : Exception(message);

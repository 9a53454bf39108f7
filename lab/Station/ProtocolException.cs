using System;

namespace Cinnabar.Lab;

/// <summary>A client sent an invalid command; its connection ends.</summary>
public sealed class ProtocolException(string message) : Exception(message);

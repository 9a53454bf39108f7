using System;

namespace Cinnabar.Lab.Runner;

/// <summary>Something that the user or a station did wrong; the text says what.</summary>
internal sealed class LabException(string message) : Exception(message);

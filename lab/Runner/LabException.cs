using System;

namespace Cinnabar.Lab.Runner;

/// <summary>An error of the user or a station; the text describes it.</summary>
internal sealed class LabException(string message) : Exception(message);

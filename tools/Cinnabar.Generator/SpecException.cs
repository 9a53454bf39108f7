using System;

namespace Cinnabar.Generator;

/// <summary>A spec that breaks a rule: becomes a compiler error at its file and line.</summary>
internal sealed class SpecException : Exception
{
    public SpecException(string message, int line)
        : base(message)
    {
        Line = line;
    }

    /// <summary>Zero-based line in the spec's file.</summary>
    public int Line { get; }
}

using System;
using System.Buffers;
using System.IO.Pipelines;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Executes one connection's commands.</summary>
internal interface ICommands
{
    /// <summary>Executes one command and writes its reply.</summary>
    void Execute(ReadOnlySpan<ReadOnlySequence<byte>> arguments, PipeWriter output);
}

using System.IO;

namespace Cinnabar.Persistence.Snapshots;

/// <summary>A step of making a file has failed, which is not a write.</summary>
/// <param name="step">The step.</param>
/// <param name="fault">What the system says; also the inner exception.</param>
public sealed class FileStepException(FileStep step, Exception fault) : IOException(fault.Message, fault)
{
    /// <summary>The step.</summary>
    public FileStep Step => step;

    /// <summary>What the system says.</summary>
    public Exception Fault => InnerException!;
}

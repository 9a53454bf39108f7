using System.Threading.Tasks;

namespace Cinnabar.Lab.Sharded;

/// <summary>One command on its way through a worker's queue.</summary>
internal sealed class Work(StringCommand command)
{
    // Otherwise the connection would continue, and write, on the worker's thread.
    private readonly TaskCompletionSource<string?> _done =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    public StringCommand Command { get; } = command;

    /// <summary>Ends when the command is executed; what GET found, otherwise null.</summary>
    public Task<string?> Found => _done.Task;

    public void Finish(string? found) => _done.SetResult(found);
}

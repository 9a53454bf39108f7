using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Cinnabar.Server;

namespace Cinnabar.Tests.Unit.Server;

/// <summary>A server that ends on request.</summary>
internal sealed class FakeServer : IServerInstance
{
    private readonly TaskCompletionSource<int> _completion = new(
        TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Called when the process asks for its listeners.</summary>
    public Action? Listening { get; set; }

    public IReadOnlyList<string> Listeners
    {
        get
        {
            Listening?.Invoke();
            return ["tcp 127.0.0.1:1", "tcp [::1]:1", "unix /a"];
        }
    }

    public Task<int> Completion => _completion.Task;

    public Task Ready => Task.CompletedTask;

    public void Load()
    {
    }

    public bool TryPrepareEnd(bool isInterrupt) => true;

    public void Stop() => _completion.TrySetResult(0);

    public void End(int exitCode) => _completion.TrySetResult(exitCode);
}

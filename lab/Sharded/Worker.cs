using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;

namespace Cinnabar.Lab.Sharded;

/// <summary>A thread that alone owns a plain dictionary; other threads put their requests into its
/// queue.</summary>
internal sealed class Worker
{
    private readonly BlockingCollection<Work> _queue = [];
    private readonly Dictionary<string, string> _entries = [];

    public Worker() => new Thread(Run) { IsBackground = true, Name = "worker" }.Start();

    public void Post(Work work) => _queue.Add(work);

    private void Run()
    {
        foreach (Work work in _queue.GetConsumingEnumerable())
        {
            StringCommand command = work.Command;
            string? found = null;
            if (command.Kind == StringCommandKind.Get) _entries.TryGetValue(command.Key, out found);
            else if (command.Kind == StringCommandKind.Set) _entries[command.Key] = command.Value!;
            work.Finish(found);
        }
    }
}
